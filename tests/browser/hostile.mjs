/* Makes a trace in which every text tries to run code: names, stacks, shapes, modules, threads, devices, collectives. */
const PAYLOADS = [
  '<script>hit(1)</script>', '"><img src=x onerror=hit(2)>', "'-hit(3)-'", '</script><script>hit(4)</script>', '<!--<script>',
  '</style><script>hit(5)</script>', '{{{fragments}}}{{> report}}', '${hit(6)}', 'javascript:hit(7)', '</title><svg onload=hit(8)>',
  ']]><script>hit(9)</script>', '\u2028\u2029hit(10)', "=cmd|' /C calc'!A0", '+1+1', '@SUM(1)', '\tx', '../../etc/passwd',
  '\u202egnp.exe', '\u0000', '`hit(11)`', '</textarea><script>hit(12)</script>', '&lt;script&gt;hit(13)&lt;/script&gt;',
  '<base href=//x>', '<meta http-equiv=refresh content=0>', '" onmouseover="hit(14)', '<a href="javascript:hit(15)">x</a>',
  '</svg><script>hit(16)</script>', '</details></table><script>hit(17)</script>', '<iframe srcdoc="<script>parent.hit(18)</script>">',
];

export function hostileTrace() {
  const events = [];
  const add = (event) => events.push({ pid: 1, tid: 1, ph: 'X', ...event });
  for (let step = 0; step < 3; step++) {
    const base = 1000000 + step * 100000;
    add({ cat: 'user_annotation', name: 'ProfilerStep#' + step, ts: base, dur: 90000 });
    PAYLOADS.forEach((text, i) => {
      const ts = base + 1000 + i * 2500, correlation = 1 + step * 1000 + i;
      add({ cat: 'python_function', name: text + '.py(12): ' + text, ts, dur: 2400, args: { 'Python id': correlation } });
      add({ cat: 'python_function', name: 'nn.Module: ' + text, ts: ts + 10, dur: 2300, args: { 'Python module id': i } });
      add({ cat: 'cpu_op', name: text, ts: ts + 20, dur: 1000, args: { 'External id': correlation, 'Call stack': text + ';' + text, 'Input Dims': [[i, 2], []], 'Input type': [text] } });
      add({ cat: 'user_annotation', name: text, ts: ts + 30, dur: 900 });
      add({ cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts: ts + 40, dur: 10, args: { correlation } });
      add({ cat: 'cuda_runtime', name: 'cudaStreamSynchronize', ts: ts + 60, dur: 700 });
      add({ cat: 'kernel', name: text, pid: 0, tid: 7, ts: ts + 100, dur: 600,
        args: { correlation, device: 0, stream: 7, grid: [text, 1, 1], block: [1, 1, 1], 'registers per thread': text, 'blocks per SM': 0.5, 'est. achieved occupancy %': 10 } });
      add({ ph: 'i', cat: 'cpu_instant_event', name: '[memory]', ts: ts + 50, args: { 'Device Type': 1, 'Device Id': 0, Addr: correlation, Bytes: 1 << 20, 'Total Allocated': (i + 1) << 20, 'Total Reserved': 64 << 20 } });
      add({ cat: 'user_annotation', name: 'nccl:' + text, ts: ts + 1500, dur: 100 });
    });
  }
  PAYLOADS.forEach((text, i) => {
    events.push({ ph: 'M', name: 'thread_name', pid: 1, tid: 1 + i, args: { name: text } });
    events.push({ ph: 'M', name: 'process_name', pid: i, args: { name: text } });
  });
  return JSON.stringify({
    [PAYLOADS[0]]: PAYLOADS[1], schemaVersion: 1, deviceProperties: [{ id: 0, name: PAYLOADS[0], totalGlobalMem: 1 << 30, numSms: 10 }],
    distributedInfo: { backend: PAYLOADS[0], rank: PAYLOADS[3] }, traceEvents: events,
  });
}
