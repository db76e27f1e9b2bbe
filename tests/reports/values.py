"""values.py: prints values of reports. Reads lines `PATH<tab>EXPRESSION` from standard input. Answers each with the value of the
Python expression over the JSON of the report (d: document, p: first profile), or the error, and with the line `end of value`."""
import json
import sys

for line in sys.stdin:
    path, expression = line.rstrip("\n").split("\t", 1)
    try:
        with open(path) as file:
            d = json.load(file)
        print(eval(expression, {"json": json, "sys": sys, "d": d, "p": d["runs"][0]["profiles"][0]}))
    except Exception as error:
        print("%s: %s" % (type(error).__name__, error))
    print("end of value", flush=True)
