"""comments_server.py FOLDER: serves the comments of one pull request over HTTP, as GitHub's REST interface does.

Writes its address to FOLDER/address, and each request as a line to FOLDER/requests. The initial comments are by a
person, and one begins with the mark of tracepress's comment. Refuses requests without a token, without JSON, or with
more than 65,536 characters."""
import http.server
import json
import os
import re
import sys

FOLDER = sys.argv[1]
COMMENTS = "/repos/some/where/issues/7/comments"
HELD = {1: {"id": 1, "body": "looks good", "user": {"type": "User"}},
        2: {"id": 2, "body": "<!-- tracepress -->\r\nnot yours", "user": {"type": "User"}}}


class Comments(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def say(self, status, value):
        with open(os.path.join(FOLDER, "requests"), "a", encoding="utf-8") as f:
            f.write("%s %s %d\n" % (self.command, self.path, status))
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def sent(self):
        """Returns the text of the sent comment; None if it does not exist or is invalid."""
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))["body"]
            return body if 0 < len(body) <= 65536 else None
        except (ValueError, KeyError, TypeError):
            return None

    def put(self, number, status):
        text = self.sent()
        if text is None:
            return self.say(422, {"message": "Validation Failed"})
        HELD[number] = {"id": number, "body": text, "user": {"type": "Bot"},
                        "url": "http://127.0.0.1:%d/repos/some/where/issues/comments/%d" % (self.server.server_port, number)}
        with open(os.path.join(FOLDER, "held.json"), "w", encoding="utf-8") as f:
            json.dump(sorted(HELD.values(), key=lambda c: c["id"]), f)
        return self.say(status, HELD[number])

    def answer(self):
        if self.headers.get("Authorization") != "Bearer secret":
            return self.say(401, {"message": "Bad credentials"})
        path = self.path.split("?")[0]
        one = re.fullmatch(r"/repos/some/where/issues/comments/(\d+)", path)
        if self.command == "GET" and path == COMMENTS:
            return self.say(200, sorted(HELD.values(), key=lambda c: c["id"]))
        if self.command == "POST" and path == COMMENTS:
            return self.put(max(HELD) + 1, 201)
        if self.command == "PATCH" and one and HELD.get(int(one.group(1)), {}).get("user") == {"type": "Bot"}:
            return self.put(int(one.group(1)), 200)
        return self.say(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = answer


server = http.server.HTTPServer(("127.0.0.1", 0), Comments)
with open(os.path.join(FOLDER, "address.new"), "w", encoding="utf-8") as f:
    f.write("http://127.0.0.1:%d" % server.server_port)
os.rename(os.path.join(FOLDER, "address.new"), os.path.join(FOLDER, "address"))
server.serve_forever()
