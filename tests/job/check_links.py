"""check_links.py TRACEPRESS FOLDER: checks the findings about the links of a machine (E5, J16). `report` of the ranks'
traces and the page of the job, made from their summaries, must agree. Good links and links of unknown machines must
have no finding."""
import json
import os
import shutil
import subprocess
import sys

program, folder = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
A100, LARGE = "NVIDIA A100-SXM4-80GB", 100 << 20


def run(*arguments):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)


def findings(ranks, *options):
    """Returns two dictionaries {rule id: finding}: of the run by `report`, and of the job."""
    traces, summary, out = (os.path.join(folder, name) for name in ("links", "links.tps", "links.json"))
    shutil.rmtree(traces, ignore_errors=True)
    run(sys.executable, os.path.join(HERE, "make_traces.py"), traces, str(ranks), *map(str, options))
    run(program, "report", traces, "-q", "--json", out, "-o", out + ".html")
    with open(out, encoding="utf-8") as file:
        run_found = json.load(file)["runs"][0].get("recommendations", {"findings": []})["findings"]
    with open(out + ".html", encoding="utf-8") as file:
        page = file.read()
    run(program, "summarize", traces, "-q", "-o", summary)
    run(program, "report", summary, "-q", "--json", out, "-o", out + ".html")
    with open(out, encoding="utf-8") as file:
        job_found = json.load(file)["jobs"][0]["findings"]
    for finding in run_found:
        last = finding["detail"].rpartition(" GB/s ")[2]  # the page marks up numbers, so only the rest of the sentence is compared
        assert finding["id"] != "E5" or last in page, "the page does not say it"
    return {f["id"]: f for f in run_found}, {f["id"]: f for f in job_found}


def expect(what, ranks, *options, slow=False, late=False):
    of_run, of_job = findings(ranks, *options)
    assert ("E5" in of_run, "E3" in of_run) == (slow, late), (what, sorted(of_run))
    by_sheet = "J16" in of_job and "has in one direction" in of_job["J16"]["detail"]
    assert by_sheet == (of_job.get("J16", {}).get("title") == "Check the links of all ranks: collectives reach less than half their rate"), what
    assert (by_sheet, "J1" in of_job) == (slow, late), (what, sorted(of_job))
    if slow:
        link, job = of_run["E5"], of_job["J16"]
        assert link["detail"] in job["detail"], (what, link["detail"], job["detail"])
        assert abs(link["share_of_step_percent"] - job["cost_percent"]) < 1e-3, (what, link, job)
    return of_run


machine = ("--device", A100, "--message", LARGE)
found = expect("a slow link", 8, *machine, "--rate", 40, slow=True)["E5"]
# gain if the link reached 70 % of its rated bandwidth, us
lost = (2 * 7 / 8 * LARGE / 40e9 - 2 * 7 / 8 * LARGE / (0.7 * 300e9)) * 1e6
# 10 us of the 4.6 ms are hidden and so give no gain; the tolerance includes them
assert abs(found["ceiling_us_per_step"] - lost) < 0.005 * lost, (found, lost)
assert "on the bus is 40.0 GB/s, 13.3 % of the 300 GB/s" in found["detail"] and "100.0 MiB" in found["detail"], found
expect("a link that carries what it can", 8, *machine, "--rate", 220)
expect("a device that nobody knows", 8, "--device", "Test GPU 2", "--message", LARGE, "--rate", 40)
expect("small messages, which latency bounds", 8, "--device", A100, "--message", 1 << 20, "--rate", 40)
expect("half of a machine, whose links may be fewer", 4, *machine, "--rate", 40, "--shown", 8)
expect("a slow rank, whose waits are no transfer", 8, *machine, "--rate", 220, "--fault", "compute", late=True)
expect("both", 8, *machine, "--rate", 40, "--fault", "compute", "--factor", 1.5, slow=True, late=True)
