/* The rows of the acceptance table: the target of each figure, and the verdict about one page and about all pages. */

const most = (limit) => (value) => value <= limit;
const none = (value) => value === 0;
const THEMES = ['light', 'dark', '390 light', '390 dark'];

/* Returns the smallest of the numbers that exist, or undefined. */
const smallest = (numbers) => { const known = numbers.filter((n) => n !== null && n !== undefined); return known.length ? Math.min(...known) : undefined; };
const worstContrast = (views) => smallest(THEMES.map((theme) => views[theme].svg.lowest?.contrast));
const axeCount = (theme) => (page) => page.views[theme].axe?.violations.length;
/* Counts the words of a headline. A number with its unit is one word. */
const countWords = (text) => text.replace(/(\d)\s+(?=(?:%|[nµm]?s|min|h|[KMGT]?i?B(?:\/s)?)(?![A-Za-z]))/g, '$1').split(/\s+/).length;
/* The results of the comparison of headline and bar that fail. Only the page of a trace, of a job or of a difference must
 * have a bar. */
const UNNAMED = ['different', 'no mark', 'no bar'];
const noBarNeeded = ['check', 'bench', 'precision', 'history'];

/* A row has: key; name; target as text; value(page), undefined if the page has no such figure or the figure was not
 * measured; passes(value, page); digits after the point; low: true if small values are bad; detail(page): what to look
 * at. A row without a target only informs. */
export const ROWS = [
  { key: 'screens_1440', name: 'screens at 1440x900', target: '5 at most', value: (p) => p.views.light.screens, passes: most(5), digits: 1 },
  { key: 'screens_390', name: 'screens at 390x844', target: '8 at most', value: (p) => p.views['390 light'].screens, passes: most(8), digits: 1 },
  { key: 'findings', name: 'findings in the first screen', target: 'the first 3', low: true,
    value: (p) => (p.views.light.findings ? p.views.light.findings_shown : undefined),
    passes: (value, p) => value >= Math.min(3, p.views.light.findings), detail: (p) => `${p.views.light.findings_shown} of ${p.views.light.findings}` },
  { key: 'words', name: 'words in the first screen', target: '380 at most', value: (p) => p.views.light.words, passes: most(380) },
  { key: 'headline_words', name: 'words of the headline', target: '24 at most',
    value: (p) => (p.views.light.headline ? countWords(p.views.light.headline) : undefined), passes: most(24), detail: (p) => p.views.light.headline },
  { key: 'fonts_1440', name: 'font sizes at 1440', target: '5 at most', value: (p) => Object.keys(p.views.light.fonts).length, passes: most(5),
    detail: (p) => Object.keys(p.views.light.fonts).sort((a, b) => parseFloat(a) - parseFloat(b)).join(' ') },
  { key: 'fonts_390', name: 'font sizes at 390', target: '5 at most', value: (p) => Object.keys(p.views['390 light'].fonts).length, passes: most(5),
    detail: (p) => Object.keys(p.views['390 light'].fonts).sort((a, b) => parseFloat(a) - parseFloat(b)).join(' ') },
  { key: 'dash_cells', name: 'cells with a dash', target: '0', value: (p) => p.views.light.dash_cells, passes: none },
  { key: 'empty_tiles', name: 'tiles without a value', target: '0', value: (p) => p.views.light.empty_tiles.length, passes: none,
    detail: (p) => p.views.light.empty_tiles.join(', ') },
  { key: 'zero_cells', name: 'cells with 0.0, 0.00, ..', value: (p) => p.views.light.zero_cells },
  { key: 'wide_1440', name: 'wider than the page at 1440', target: '0', value: (p) => p.views.light.wide.length, passes: none,
    detail: (p) => p.views.light.wide.slice(0, 5).join(', ') },
  { key: 'wide_390', name: 'wider than the page at 390', target: '0', value: (p) => p.views['390 light'].wide.length, passes: none,
    detail: (p) => p.views['390 light'].wide.slice(0, 5).join(', ') },
  { key: 'scrolling', name: 'boxes that scroll sideways at 390', value: (p) => p.views['390 light'].scrolling.length,
    detail: (p) => p.views['390 light'].scrolling.slice(0, 5).join(', ') },
  ...THEMES.map((theme) => ({ key: 'axe_' + theme.replace(' ', '_'), name: `axe, ${theme}`, target: '0', value: axeCount(theme), passes: none,
    detail: (p) => p.views[theme].axe?.violations.join('; ') })),
  { key: 'text_contrast', name: 'contrast of text (axe)', target: '4.5 at least', low: true, digits: 2,
    value: (p) => smallest(THEMES.map((theme) => p.views[theme].axe?.contrast)), passes: (value) => value >= 4.5 },
  { key: 'svg_contrast', name: 'contrast of SVG labels', target: '4.5 at least', low: true, digits: 2,
    value: (p) => worstContrast(p.views), passes: (value) => value >= 4.5,
    detail: (p) => THEMES.map((theme) => `${theme} "${p.views[theme].svg.lowest?.text ?? ''}" ${p.views[theme].svg.lowest?.contrast.toFixed(2) ?? ''}`).join(', ') },
  { key: 'messages', name: 'console messages', target: '0', value: (p) => p.messages.length, passes: none, detail: (p) => p.messages.slice(0, 3).join('; ') },
  { key: 'requests', name: 'requests', target: '0', value: (p) => p.requests.length, passes: none, detail: (p) => p.requests.slice(0, 3).join('; ') },
  { key: 'style_attributes', name: 'style attributes', target: '0', value: (p) => p.markup.style_attributes, passes: none },
  { key: 'handlers', name: 'handlers in attributes', target: '0', value: (p) => p.markup.handlers, passes: none },
  { key: 'html', name: 'errors of html-validate', target: '0', value: (p) => p.html?.length, passes: none, detail: (p) => p.html?.slice(0, 3).join('; ') },
  { key: 'sheets', name: 'sheets of A4', target: '4 at most', value: (p) => p.sheets, passes: most(4) },
  { key: 'kb', name: 'size of the page, KB', target: '500 at most', value: (p) => p.bytes / 1000, passes: most(500) },
  { key: 'code_kb', name: 'style and script, KB', target: '90 at most', value: (p) => p.markup.code_bytes / 1000, passes: most(90) },
  { key: 'cause', name: 'headline and bar name one cause', target: 'all', value: (p) => (p.cause.result === 'no headline' ? undefined : p.cause.result),
    passes: (value, p) => !UNNAMED.includes(value) || (value === 'no bar' && noBarNeeded.includes(p.kind)),
    detail: (p) => `headline: ${p.cause.marks?.join(', ') || 'no mark'}; bar: ${p.cause.largest ?? 'no avoidable segment'}` },
];

/* Returns the verdict of a row about one page: pass, fail, noted (no target) or skipped (not measured). */
export function verdict(row, page) {
  const value = row.value(page);
  if (value === undefined) return 'skipped';
  if (!row.target) return 'noted';
  return row.passes(value, page) ? 'pass' : 'fail';
}

export const show = (row, value) => (typeof value === 'number' ? value.toFixed(row.digits ?? 0) : String(value));

/* Returns the summary of a row over all pages: worst page, median, number of pages that fail, verdict. A row that no page
 * has is skipped and never passes. */
export function summarize(row, pages) {
  const measured = pages.filter((page) => row.value(page) !== undefined);
  const failed = measured.filter((page) => verdict(row, page) === 'fail').map((page) => page.name);
  const result = { key: row.key, name: row.name, target: row.target ?? '', pages: measured.length, failed,
    verdict: !measured.length ? 'skipped' : !row.target ? 'noted' : failed.length ? 'fail' : 'pass' };
  if (!measured.length) return result;
  if (row.key === 'cause') return { ...result, ...causes(measured, result) };
  const sorted = measured.map((page) => ({ page: page.name, value: row.value(page) })).sort((a, b) => a.value - b.value);
  const worst = row.low ? sorted[0] : sorted[sorted.length - 1];
  const middle = (sorted[(sorted.length - 1) >> 1].value + sorted[sorted.length >> 1].value) / 2;
  return { ...result, worst: show(row, worst.value), worst_page: sorted[0].value === sorted[sorted.length - 1].value ? '' : worst.page, median: show(row, middle) };
}

/* Only "same" counts as equal. Without any page whose headline and bar name the same cause, the row does not pass. */
function causes(pages, { verdict: judged }) {
  const counts = {};
  for (const { cause } of pages) counts[cause.result] = (counts[cause.result] ?? 0) + 1;
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ');
  return { counts, worst: `${counts.same ?? 0} same of ${pages.length}`, worst_page: parts, median: '', verdict: judged === 'pass' && !counts.same ? 'skipped' : judged };
}
