"""The programs of the table, one per row. table.py runs them. Each row was written before any page about the program was read.

name      name in the table
needs     required commands; the runner replaces {python}, {torch}, {node}, {rustc}, {postgres}, {initdb} by paths, {many} by three
          times the number of CPUs, {folder} by the folder of the run, {repository} by the folder of this project
run       the command line of the program
expect    classes of the verdict that an expert would give, and why; `waits-for-cpu` is also right if the kernel's own count
          of waits for a CPU (schedstat) confirms it
hot       kind of the hottest function: its file, "python", "jit" (generated at run time) or "kernel"; with several kinds, any of them
make      makes the input in an empty folder; each run of the program gets a copy
files     small inputs by name
server    a server that the program needs and that is not recorded
load      sends requests to the server `run` as soon as `up` succeeds; then the server is ended by SIGTERM
varies    the output differs from run to run, so only the exit code is compared
fast      every Debian has this program, so the suite `programs` runs it. It takes 0.3 s of CPU time or more on a machine of 2026,
          because shorter programs rightly get no verdict ("too short"), and other machines are faster
"""
import collections

Program = collections.namedtuple("Program", "name needs run expect why hot make files server up load varies fast",
                                 defaults=["", {}, "", "", "", False, False])


def program(name, needs, run, expect, why, hot, **more):
    return Program(name, needs.split(), run, expect.split(), why, hot.split(), **more)



def text(lines):
    return ("seq 1 %d | awk '{ printf \"%%d line %%.0f of a text, %%s\\n\", $1, $1 * 2654435761 %% 4294967296, "
            "$1 %% 7 ? \"often\" : \"seldom\" }' >text" % lines)


FUNCTIONS = """
import sys
many = int(sys.argv[1])
print("#include <string.h>\\n#include <stdlib.h>")
for i in range(many):
    print('''int f%d(const int *a, int n, char *b)
{
    int s = %d, t[16] = {0};
    for (int i = 0; i < n; i++) {
        switch (a[i] %% %d) { case 0: s += a[i]; break; case 1: s ^= i; break; case 3: t[i %% 16] += s; break; default: s -= t[a[i] & 15]; }
        for (int j = 0; j < %d; j++) if (b[j] == s %% 256) { memmove(b, b + j, 8); s += abs(t[j %% 16]); }
    }
    return s;
}''' % (i, i, i % 5 + 4, i % 7 + 2))
"""

TEMPLATES = """
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> struct fold { static constexpr long value = fold<N - 1>::value * 31 % 1000003 + N; };
template <> struct fold<0> { static constexpr long value = 1; };
int main(int argc, char **argv)
{
    std::map<std::string, std::vector<long>> a;
    std::unordered_map<long, std::string> b;
    std::regex r("([a-z]+)-([0-9]+)");
    for (int i = 0; i < argc; i++) { a[argv[i]].push_back(fold<400>::value); b[i] = argv[i]; }
    return std::regex_match(argv[0], r) + (int)a.size() + (int)b.size();
}
"""

RUST = "".join("pub fn f%d(v: &mut Vec<u64>) -> u64 { v.iter_mut().enumerate().map(|(i, x)| { *x = x.wrapping_mul(%d) ^ (i as u64); *x }).filter(|x| x %% %d != 0)"
               ".fold(0u64, |a, b| a.rotate_left(5) ^ b) + v.len() as u64 }\n" % (i, i * 2 + 1, i + 3) for i in range(300)) + \
       "fn main() { let mut v: Vec<u64> = (0..100).collect(); println!(\"{}\", " + " ^ ".join("f%d(&mut v)" % i for i in range(300)) + "); }\n"

JAVA = """
public class Main {
    static long mix(long a, int n) { for (int i = 0; i < n; i++) a = a * 6364136223846793005L + (a >>> 33) + i; return a; }
    static int sieve(int n) {
        boolean[] out = new boolean[n]; int found = 0;
        for (int i = 2; i < n; i++) { if (out[i]) continue; found++; for (long j = (long) i * i; j < n; j += i) out[(int) j] = true; }
        return found;
    }
    public static void main(String[] args) {
        long a = 1; for (int i = 0; i < 60; i++) a = mix(a, 4000000);
        System.out.println(a + " " + sieve(3000000));
    }
}
"""

GO = """
package main
import "fmt"
func collatz(n uint64) (steps int) { for ; n != 1; steps++ { if n%2 == 0 { n /= 2 } else { n = 3*n + 1 } }; return }
func part(from, to uint64, out chan int) { best := 0; for i := from; i < to; i++ { if s := collatz(i); s > best { best = s } }; out <- best }
func main() {
	out := make(chan int)
	for i := uint64(0); i < 4; i++ { go part(1+i*700000, (i+1)*700000, out) }
	best := 0
	for i := 0; i < 4; i++ { if s := <-out; s > best { best = s } }
	fmt.Println(best)
}
"""

MPI = """
#include <mpi.h>
#include <stdio.h>
static volatile double sink;
__attribute__((noinline)) static double integrate(int from, int n)
{
    double s = 0;
    for (int k = 0; k < n; k++) s += 1.0 / (1.0 + (from + k) * 1e-9);
    sink = s;
    return s;
}
int main(int argc, char **argv)
{
    int rank;
    double s = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        s += integrate(rank * 100, 20000000);
        MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%.3f\\n", all);
    MPI_Finalize();
    return 0;
}
"""

OPENMP = """
#include <stdio.h>
static double a[1 << 16];
__attribute__((noinline)) static void smooth(int turn)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 1 << 16; i++)
        for (int k = 0; k < 12; k++) a[i] = a[i] * 0.75 + (i % (turn + 3)) / (1.0 + a[i] * a[i]);
}
int main(void)
{
    for (int turn = 0; turn < 150; turn++) smooth(turn);
    printf("%.6f\\n", a[77]);
    return 0;
}
"""

PYTHON = """
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps

def main():
    print(max(collatz(i) for i in range(1, 100000)))
main()
"""

JSON = """
import hashlib, json, zlib
rows = [{"id": i, "name": "row %d" % i, "values": [i * k for k in range(20)]} for i in range(3000)]
h = hashlib.sha256()
for turn in range(5):
    text = json.dumps(rows).encode()
    h.update(zlib.compress(text, 9))
    assert json.loads(text) == rows
print(h.hexdigest())
"""

THREADS = """
import threading
lock, total = threading.Lock(), 0
def work(k):
    global total
    for i in range(60):
        with lock:
            total += sum(j * j % 7 for j in range(15000))
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(total)
"""

RUBY = """
def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
puts fib(31)
h = Hash.new(0)
400_000.times { |i| h[(i * 7919) % 1009] += i }
puts h.values.sum
"""

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(33))
local t = {}
for i = 1, 1000000 do t[i % 1000] = (t[i % 1000] or 0) + i end
print(t[7])
"""

NODE = """
function mandelbrot(n) {
  let inside = 0;
  for (let y = 0; y < n; y++) for (let x = 0; x < n; x++) {
    let a = 0, b = 0, i = 0; const ca = x / n * 3 - 2, cb = y / n * 2 - 1;
    while (a * a + b * b < 4 && i < 300) { const t = a * a - b * b + ca; b = 2 * a * b + cb; a = t; i++; }
    if (i === 300) inside++;
  }
  return inside;
}
console.log(mandelbrot(1300));
"""

NODE_SERVER = """
const http = require('http');
const rows = Array.from({ length: 200 }, (_, i) => ({ id: i, name: 'row ' + i }));
const server = http.createServer((request, response) => { response.end(JSON.stringify(rows)); });
server.listen(8741, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
"""

PYTHON_SERVER = """
import http.server, json, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    def do_GET(self):
        body = json.dumps([{"id": i, "name": "row %d" % i} for i in range(200)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", 8742), Handler).serve_forever()
"""

NGINX = """
worker_processes 1; daemon off; pid nginx.pid; error_log stderr crit;
events { worker_connections 64; }
http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  server { listen 127.0.0.1:8743; location / { root .; gzip on; gzip_http_version 1.0; gzip_types *; gzip_min_length 1; gzip_comp_level 6; } } }
"""

SLOW_SERVER = """
import socket, time
server = socket.create_server(("127.0.0.1", 8744))
while True:
    c, _ = server.accept()
    for i in range(8):
        time.sleep(0.1)
        c.sendall(b"x" * 1000)
    c.close()
"""

SOCKET = """
import socket, sys
c = socket.create_connection(("127.0.0.1", 8744))
size = 0
while True:
    part = c.recv(4096)
    if not part:
        break
    size += len(part)
print(size)
"""

LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self): return 1200
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        x = torch.randn(64, 64, generator=g)
        for _ in range(6): x = torch.tanh(x @ x.T / 64)
        return x.sum(0)
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Linear(64, 8)
total = 0.0
for batch in DataLoader(Rows(), batch_size=50, num_workers=2):
    total += float(model(batch).detach().sum())
print(round(total, 1))
"""

SPAWN = """
import torch, torch.multiprocessing as mp
def work(rank, out):
    torch.set_num_threads(1)
    a = torch.ones(300, 300) * (rank + 1) / 300
    for _ in range(100): a = torch.tanh(a @ a)
    out.put((rank, round(float(a.sum()), 2)))
if __name__ == "__main__":
    ctx = mp.get_context("spawn")
    out = ctx.Queue()
    jobs = [ctx.Process(target=work, args=(i, out)) for i in range(2)]
    [j.start() for j in jobs]
    print(sorted(out.get() for _ in jobs))
    [j.join() for j in jobs]
"""

COMPILE = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
@torch.compile
def f(x, y): return torch.relu(x * y + x).sum(-1) - torch.sin(y).mean()
x = torch.randn(256, 256)
print(round(float(f(x, x.T).sum()), 1))
"""



def http_load(requests, address, header=""):
    return "ab -q %s -n %d -c 4 http://127.0.0.1:%s >/dev/null" % (header, requests, address)


PG = "setpriv --reuid=postgres --regid=postgres --clear-groups"

PROGRAMS = [
    program("gzip", "gzip", "gzip -9nc text", "cpu-bound", "deflate at its best level; the input is in memory", "gzip libc",
            make=text(120000), fast=True),
    program("bzip2", "bzip2", "bzip2 -c text", "cpu-bound", "sorts blocks", "libbz2 bzip2", make=text(250000)),
    program("xz", "xz", "xz -6 -c text", "cpu-bound", "searches matches", "liblzma", make=text(50000), fast=True),
    program("zstd of two threads", "zstd", "zstd -q -T2 -12 -c text", "cpu-bound", "two workers compress", "libzstd zstd", make=text(400000)),
    program("sort", "sort", "sort -k3 text", "cpu-bound", "compares lines; all is in memory", "sort libc", make=text(700000), fast=True),
    program("cat, sort, uniq", "sort", "sh -c 'cat text | sort -r | cut -c 1-9 | sort | uniq -c | tail -n 3'", "cpu-bound",
            "a pipeline of two sorts, one after the other: some part of it always runs", "sort libc cut", make=text(600000), fast=True),
    program("tar, gzip", "tar gzip", "sh -c 'tar cf - --mtime=@0 --sort=name --owner=0 --group=0 d | gzip -n6 | cksum'", "cpu-bound",
            "gzip is the slowest part", "gzip", make="mkdir d; " + text(100000) + "; for i in 1 2 3 4 5; do cp text d/$i; done; touch -d @0 d", fast=True),
    program("find, xargs, grep", "find grep", "sh -c 'find /usr/include -type f -print0 | xargs -0 grep -c often | tail -n 1; exit 3'", "cpu-bound mixed",
            "opens and reads many small files that are cached: the kernel's part is large", "kernel grep libc"),
    program("dd, synchronous", "dd", "dd if=/dev/zero of=f bs=4k count=1500 oflag=dsync status=none", "waits-for-disk",
            "each block is written before the next", "kernel"),
    program("sleep in a loop", "sh", "sh -c 'for i in 1 2 3 4 5; do sleep 0.2; done; exit 4'", "sleeps", "sleeps for a second, does nothing", "kernel ld libc",
            fast=True),
    program("shell loop", "sh", "sh -c 'i=0; while [ $i -lt 600000 ]; do i=$((i + 1)); done; echo $i'", "cpu-bound", "counts in the shell", "dash bash sh libc",
            fast=True),
    program("bash loop", "bash", "bash -c 'for ((i = 0; i < 150000; i++)); do s=${s:0:20}$((i % 7)); done; echo $s'", "cpu-bound", "expands words",
            "bash libc"),
    program("300 short processes", "sh", "sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'", "cpu-bound",
            "forks and executes, all of it the kernel's work", "kernel"),
    program("awk", "awk", "awk '{ n[$NF]++; s += length($0) * $1 } END { print s, n[\"often\"] }' text", "cpu-bound", "takes lines apart",
            "mawk gawk libc", make=text(2500000), fast=True),
    program("gawk", "gawk", "gawk '{ n[$NF]++; s += length($0) * $1 } END { print s, n[\"often\"] }' text", "cpu-bound", "takes lines apart",
            "gawk libc", make=text(400000)),
    program("sed", "sed", "sh -c 'sed -E \"s/([0-9]+) line ([0-9]+)/\\2 \\1/; s/often/x/\" text | cksum'", "cpu-bound", "matches by glibc's regex", "libc sed",
            make=text(200000), fast=True),
    program("perl", "perl", "perl -ne '$n{$2} += $1 if /^(\\d+) line (\\d+)/; END { print scalar(keys %n), \"\\n\" }' text", "cpu-bound",
            "matches and hashes", "perl libperl libc", make=text(600000), fast=True),
    program("python", "python", "{python} a.py", "cpu-bound", "one function of Python counts", "python", files={"a.py": PYTHON}, fast=True),
    program("python with C", "python", "{python} a.py", "cpu-bound", "zlib, json and sha256 take most", "libz _json python libpython python3",
            files={"a.py": JSON}),
    program("python, four threads and a lock", "python", "{python} a.py", "cpu-bound", "one thread computes at a time, the others wait for it", "python",
            files={"a.py": THREADS}),
    program("ruby", "ruby", "ruby a.rb", "cpu-bound", "the loop of the interpreter", "libruby", files={"a.rb": RUBY}),
    program("lua", "lua5.4", "lua5.4 a.lua", "cpu-bound", "the loop of the interpreter", "lua", files={"a.lua": LUA}),
    program("node", "node", "{node} a.js", "cpu-bound", "code made at run time", "jit", files={"a.js": NODE}),
    program("node with a dump", "node", "{node} --perf-prof a.js", "cpu-bound", "code made at run time, named by the dump next to it", "jit", files={"a.js": NODE}),
    program("java", "java javac", "java -Xshare:auto -cp . Main", "cpu-bound", "code made at run time; the compilers next to it", "jit libjvm",
            make="javac Main.java", files={"Main.java": JAVA}),
    program("javac", "javac", "javac -d out Main.java", "cpu-bound", "a young JVM: loads classes, interprets, compiles", "jit libjvm",
            files={"Main.java": JAVA}),
    program("gcc -O2", "gcc", "sh -c 'gcc -O2 -c f.c -o f.o && cksum f.o'", "cpu-bound", "cc1, spread over its passes", "cc1 libc",
            make="python3 gen.py 50 >f.c", files={"gen.py": FUNCTIONS}, fast=True),
    program("g++ with templates", "g++", "sh -c 'g++ -O1 -c t.cc -o t.o && cksum t.o'", "cpu-bound", "cc1plus, spread", "cc1plus libc kernel", files={"t.cc": TEMPLATES}),
    program("rustc", "rustc", "{rustc} -O -o r r.rs", "cpu-bound", "LLVM and the compiler, spread", "librustc libLLVM", files={"r.rs": RUST}),
    program("go build", "go", "sh -c 'echo >>m.go; GOCACHE=$PWD/c go build -o m m.go'", "cpu-bound", "compiles one package, links",
            "compile link go kernel", files={"m.go": GO}, make="GOCACHE=$PWD/c go build -o m m.go"),
    program("go", "go", "./m", "cpu-bound", "four goroutines count", "m", make="go build -o m m.go", files={"m.go": GO}),
    program("ripgrep", "rg", "rg -c -j2 --sort path 'sel[a-z]om|[0-9]{7}x' text text2", "cpu-bound", "matches by an automaton", "rg kernel",
            make=text(1500000) + "; cp text text2"),
    program("mpirun of two ranks", "mpirun mpicc", "mpirun --allow-run-as-root --oversubscribe -np 2 ./m", "cpu-bound",
            "both ranks compute; who is first turns round in Allreduce", "m", make="mpicc -O1 -o m m.c", files={"m.c": MPI}),
    program("OpenMP of two threads", "gcc", "./m", "cpu-bound", "both threads compute; who is first spins at the end of the loop", "m libgomp",
            make="gcc -O2 -fopenmp -o m m.c", files={"m.c": OPENMP}),
    program("sqlite3, a query", "sqlite3", "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<1500000) "
            "select sum(x*x%7), count(*) from c'", "cpu-bound", "its virtual machine", "libsqlite3 sqlite3"),
    program("sqlite3, 300 commits", "sqlite3", "sh -c 'sqlite3 f.db <commits'", "waits-for-disk", "each insert is a commit: two or three syncs",
            "kernel", make="(echo 'create table t(x);'; seq 1 300 | sed 's/.*/insert into t values(&);/') >commits"),
    program("openssl speed", "openssl", "openssl speed -seconds 1 -bytes 8192 sha256", "cpu-bound", "sha256 in assembler", "libcrypto", varies=True),
    program("ffmpeg", "ffmpeg", "ffmpeg -v error -f lavfi -i testsrc=s=640x360:d=4 -c:v mpeg4 -threads 2 -f null -", "cpu-bound",
            "makes pictures, encodes them", "libavcodec libavfilter libswscale libavutil"),
    program("imagemagick", "convert-im6.q16", "convert-im6.q16 -seed 1 -size 1000x1000 plasma: -blur 0x4 -resize 40% ppm:-", "cpu-bound", "filters a picture",
            "libMagickCore libgomp libm", make="true"),
    program("git log -p", "git", "sh -c 'git -C {repository} log -p --no-color -n 300 | cksum'", "cpu-bound", "unpacks objects, compares files", "git libz libc"),
    program("make -j2", "make gcc", "make -s -j2", "cpu-bound", "two compilers at a time", "cc1 libc",
            make="for i in 1 2 3 4; do python3 gen.py 30 >f$i.c; done; printf 'all: f1.o f2.o f3.o f4.o\\n' >Makefile", files={"gen.py": FUNCTIONS}),
    program("three compressors for each CPU", "gzip xargs", "sh -c 'seq 30 | xargs -P {many} -I% gzip -9nc text | cksum'", "waits-for-cpu",
            "three times as many compressors as CPUs", "gzip", make=text(7000), varies=True),
    program("a socket that is slow", "python", "{python} c.py", "waits-for-socket", "the server sends ten times a second", "python python3 kernel ld libc libpython",
            files={"c.py": SOCKET, "slow.py": SLOW_SERVER}, server="{python} slow.py"),
    program("redis under load", "redis-server redis-benchmark", "redis-server --port 8745 --save '' --appendonly no", "cpu-bound mixed",
            "many small requests: much of it in the kernel's sockets; it waits in epoll where the client is slower", "kernel redis-server libc redis-check-rdb",
            up="redis-cli -p 8745 ping", load="redis-benchmark -q -p 8745 -n 120000 -c 20 -t get,set", varies=True),
    program("redis with nothing to do", "redis-server", "redis-server --port 8746 --save ''", "idle-server", "nobody asks", "kernel redis-server libc ld redis-check-rdb",
            up="redis-cli -p 8746 ping", load="sleep 3", varies=True),
    program("nginx under load", "nginx ab", "nginx -p . -c n.conf", "cpu-bound mixed", "compresses each answer; a client that is slower leaves it waiting in epoll",
            "libz kernel nginx", files={"n.conf": NGINX}, make=text(2000) + "; chmod 711 .", up="ab -q -n 1 http://127.0.0.1:8743/text", 
            load=http_load(400, "8743/text", "-H 'Accept-Encoding: gzip'"), varies=True),
    program("postgres, commits", "postgres pgbench setpriv", PG + " {postgres} -D data -p 8747 -k {folder} -c listen_addresses=", "waits-for-disk mixed",
            "one client, each transaction is a commit: its log has to be on the disk", "kernel postgres libc", make="chown postgres .; " + PG +
            " {initdb} -D data >/dev/null; " + PG + " {postgres} -D data -p 8747 -k $PWD -c listen_addresses= >log 2>&1 & server=$!; "
            "until pgbench -q -i -U postgres -h $PWD -p 8747 postgres 2>/dev/null; do sleep 0.2; done; kill $server; wait $server || true",
            up="pgbench -n -t 1 -U postgres -h {folder} -p 8747 postgres", load="pgbench -n -t 800 -U postgres -h {folder} -p 8747 postgres", varies=True),
    program("python http.server", "python ab", "{python} s.py", "cpu-bound", "makes JSON for each request, a thread each", "python kernel python3 libc libpython _json",
            files={"s.py": PYTHON_SERVER}, up="ab -q -n 1 http://127.0.0.1:8742/", load=http_load(1500, "8742/"), varies=True),
    program("node http under load", "node ab", "{node} s.js", "cpu-bound mixed", "makes JSON for each request on one thread; the client takes as long", "node jit kernel",
            files={"s.js": NODE_SERVER}, up="ab -q -n 1 http://127.0.0.1:8741/", load=http_load(12000, "8741/"), varies=True),
    program("torch, data workers", "torch", "{torch} a.py", "cpu-bound", "imports torch, then workers make rows", "python libpython libtorch_cpu libgomp kernel libc ld python3 python3.11",
            files={"a.py": LOADER}),
    program("torch, spawned processes", "torch", "{torch} a.py", "cpu-bound", "three imports of torch; the products are short", "python libpython libscipy_openblas libtorch_cpu kernel ld python3.11 libc",
            files={"a.py": SPAWN}),
    program("torch.compile", "torch gcc", "sh -c 'TORCHINDUCTOR_CACHE_DIR=$(mktemp -d {folder}/cXXXXXX) TORCHINDUCTOR_COMPILE_THREADS=1 {torch} a.py'", "cpu-bound",
            "imports, traces, lets gcc compile", "python libpython cc1plus python3.11 kernel", files={"a.py": COMPILE}),
]
