/* Functions that acceptance.mjs evaluates inside a page. Each function is self-contained, because the browser gets its
 * source text, and returns plain values. They read the page and change nothing. */

/* Measures the page in a viewport of width x height pixels: length, words and findings of the first screen, font sizes,
 * empty cells and tiles, elements that are wider than the viewport. */
export function layout(width, height) {
  const DASHES = ['-', '–', '—'];
  const visible = (e) => e.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });
  const label = (e) => (e.localName + (e.id && '#' + e.id) + [...e.classList].map((c) => '.' + c).join('')).slice(0, 60);
  const root = document.documentElement;

  const fonts = {};
  let words = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim(), parent = texts.currentNode.parentElement;
    if (!text || /^(script|style|title)$/i.test(parent.tagName)) continue;
    const box = parent.getBoundingClientRect();
    if (!box.width || !visible(parent)) continue;
    fonts[getComputedStyle(parent).fontSize] ??= `${text.slice(0, 30)} (${label(parent)})`;
    if (box.top < height && box.bottom > 0 && !parent.closest('.vh')) words += text.split(/\s+/).length;
  }

  const empty = (text) => !text || DASHES.includes(text);
  const cells = [...document.querySelectorAll('td, th, [role=cell], [role=rowheader]')].map((e) => e.textContent.trim());
  const tiles = [...document.querySelectorAll('dl.figs dt, dl.kpis dt')]
    .map((e) => ({ name: e.textContent.trim(), value: e.nextElementSibling?.matches('dd') ? e.nextElementSibling.textContent.trim() : '' }));

  /* A phone zooms out if an element is too wide, which increases innerWidth. Therefore the limit is the given width. */
  const sticks = (e) => { const box = e.getBoundingClientRect(); return box.width > 0 && (box.right > width + 1 || box.left < -1); };
  /* Returns whether an element is inside a box that shortens a long text with "…". */
  const shortened = (e) => {
    for (let outer = e.parentElement; outer && outer.localName !== 'main'; outer = outer.parentElement) {
      const style = getComputedStyle(outer);
      if (style.textOverflow === 'ellipsis' && style.overflowX !== 'visible' && !sticks(outer)) return true;
    }
    return false;
  };
  const wide = [...document.querySelectorAll('main *')].filter((e) => sticks(e) && !e.closest('.vh') && !e.closest('svg') && visible(e) && !shortened(e)).map(label);
  if (root.scrollWidth > width) wide.unshift(`page (${root.scrollWidth} pixels)`);
  const scrolling = [...document.querySelectorAll('main *')].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowX) &&
    e.scrollWidth > e.clientWidth + 1 && visible(e)).map(label);

  const list = [...document.querySelectorAll('ol.acts, ol.findings')].find(visible);
  const findings = list ? [...list.children].filter((e) => e.localName === 'li') : [];
  const whole = (e) => { const box = e.getBoundingClientRect(); return box.height > 0 && box.top >= 0 && box.bottom <= height && visible(e); };
  const heads = [...document.querySelectorAll('.head, .headline')].filter(visible);

  return {
    screens: root.scrollHeight / height,
    words,
    fonts,
    dash_cells: cells.filter((text) => DASHES.includes(text)).length,
    zero_cells: cells.filter((text) => /^0\.0+$/.test(text)).length,
    empty_tiles: tiles.filter((tile) => empty(tile.value)).map((tile) => tile.name),
    tiles: tiles.length,
    wide: [...new Set(wide)],
    scrolling: [...new Set(scrolling)],
    findings: findings.length,
    findings_shown: findings.filter(whole).length,
    headline: heads[0]?.textContent.trim().replace(/\s+/g, ' ') ?? null,
  };
}

/* Compares the cause that the headline highlights with the largest avoidable segment of the bar. Returns the result:
 * same, different, no headline, no mark (the headline highlights nothing), no bar (no segment with a cause, although the
 * headline highlights one), nothing judged (no bar, and the headline highlights no cause or time that is not judged), or
 * nothing avoidable. A headline may name first a second cause that is at most 1.5 times smaller than the largest. */
export function cause() {
  const headline = document.querySelector('.head, .headline');
  if (!headline) return { result: 'no headline' };
  const named = (e) => e.dataset.cause ?? [...e.classList].find((c) => c.startsWith('c-'))?.slice(2);
  const marks = [...headline.querySelectorAll('em')].map(named).filter(Boolean);
  const segments = [...document.querySelectorAll('figure.bar svg g[data-cause][data-ns]')]
    .map((e) => ({ cause: e.dataset.cause, ns: Number(e.dataset.ns), avoidable: !['0', 'false', undefined].includes(e.dataset.avoidable) }));
  const avoidable = segments.filter((s) => s.avoidable && s.ns > 0).sort((a, b) => b.ns - a.ns);
  const seen = { marks, largest: avoidable[0]?.cause ?? null };
  if (!segments.length) return { result: marks.some((mark) => mark !== 'hatch') ? 'no bar' : 'nothing judged', ...seen };
  if (!avoidable.length) return { result: 'nothing avoidable', ...seen };
  if (!marks.length) return { result: 'no mark', ...seen };
  const first = avoidable.find((s) => s.cause === marks[0]);
  const second = first && marks.includes(avoidable[0].cause) && first.ns * 1.5 >= avoidable[0].ns;
  return { result: marks[0] === avoidable[0].cause || second ? 'same' : 'different', ...seen };
}

/* Returns the lowest contrast of a text in an SVG picture with what is painted below it, and the number of texts. Samples
 * the left end, the middle and the right end of the visible part of each text. */
export function svgContrast() {
  const SHAPES = 'rect, circle, ellipse, path, polygon';
  const visible = (e) => e.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });
  /* Returns red, green, blue (0 to 255) and alpha (0 to 1) of a computed color, or null for none and for references. */
  const parse = (color) => {
    const numbers = (color.match(/-?[\d.]+(e-?\d+)?%?/g) ?? []).map((n) => n.endsWith('%') ? parseFloat(n) / 100 : Number(n));
    if (/^rgba?\(/.test(color)) return [...numbers.slice(0, 3), numbers[3] ?? 1];
    if (/^color\(srgb /.test(color)) return [...numbers.slice(0, 3).map((n) => n * 255), numbers[3] ?? 1];
    return null;
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
  const opacities = new Map();
  /* Returns the opacity of an element together with its ancestors up to the picture. */
  const opacity = (e) => {
    if (!opacities.has(e)) opacities.set(e, Number(getComputedStyle(e).opacity) * (e.parentElement instanceof SVGElement ? opacity(e.parentElement) : 1));
    return opacities.get(e);
  };
  const clips = new Map();
  const cut = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right), top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  /* Returns the part of the screen where an svg element, nested or not, may paint. */
  const clip = (svg) => {
    if (clips.has(svg)) return clips.get(svg);
    let box = svg.getBoundingClientRect();
    const outer = svg.parentElement instanceof SVGElement ? svg.parentElement.closest('svg') : null;
    if (outer) {
      const view = svg.viewBox.baseVal, matrix = svg.getScreenCTM();
      const [x, y, w, h] = view && view.width ? [view.x, view.y, view.width, view.height] : [0, 0, svg.width.animVal.value, svg.height.animVal.value];
      const from = new DOMPoint(x, y).matrixTransform(matrix), to = new DOMPoint(x + w, y + h).matrixTransform(matrix);
      box = { left: from.x, right: to.x, top: from.y, bottom: to.y };
      const hides = getComputedStyle(svg).overflow !== 'visible';
      box = hides ? cut(box, clip(outer)) : clip(outer);
    } else if (getComputedStyle(svg).overflow === 'visible') box = { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 };
    clips.set(svg, box);
    return box;
  };
  const contains = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  /* Returns the colors with which a shape may paint a point: one, or all colors of its pattern. */
  const paints = (shape) => {
    const style = getComputedStyle(shape), alpha = opacity(shape) * Number(style.fillOpacity);
    const id = style.fill.match(/^url\("?#([^")]+)/)?.[1];
    const colors = id ? [...(document.getElementById(id)?.querySelectorAll(SHAPES + ', stop') ?? [])].map((e) => getComputedStyle(e)[e.localName === 'stop' ? 'stopColor' : 'fill']) : [style.fill];
    return colors.map(parse).filter(Boolean).map((c) => [c[0], c[1], c[2], c[3] * alpha]);
  };
  /* Returns the colors that the elements around a picture give to its background. */
  const background = (svg) => {
    const layers = [];
    for (let e = svg; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color && color[3] > 0) layers.push(color);
      if (color && color[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };

  let lowest = null, count = 0;
  for (const picture of document.querySelectorAll('svg')) {
    if (picture.parentElement instanceof SVGElement || !visible(picture) || !picture.querySelector('text')) continue;
    const shapes = [...picture.querySelectorAll(SHAPES)].filter((e) => !e.closest('defs, pattern, clipPath, mask, marker, symbol') && visible(e))
      .map((e) => ({ e, box: cut(e.getBoundingClientRect(), clip(e.closest('svg'))) }));
    const base = background(picture);
    const texts = document.createTreeWalker(picture, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode, owner = node.parentElement;
      if (!node.textContent.trim() || !owner.closest('text') || owner.localName === 'title' || !visible(owner)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = cut(range.getBoundingClientRect(), clip(owner.closest('svg'))), style = getComputedStyle(owner);
      const ink = parse(style.fill);
      if (!ink || box.right - box.left < 2 || box.bottom - box.top < 2) continue;
      count++;
      ink[3] *= opacity(owner) * Number(style.fillOpacity);
      const y = (box.top + box.bottom) / 2, below = shapes.filter((s) => owner.compareDocumentPosition(s.e) & Node.DOCUMENT_POSITION_PRECEDING);
      for (const x of [box.left + 1, (box.left + box.right) / 2, box.right - 1]) {
        let grounds = [base];
        for (const shape of below) {
          if (!contains(shape.box, x, y)) continue;
          if (!shape.e.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.e.getScreenCTM().inverse()))) continue;
          const colors = paints(shape.e);
          if (colors.length) grounds = colors.flatMap((c) => (c[3] >= 1 ? [c] : grounds.map((ground) => over(c, ground))));
        }
        for (const ground of grounds) {
          const contrast = ratio(over(ink, ground), ground);
          if (!lowest || contrast < lowest.contrast) lowest = { contrast, text: node.textContent.trim().slice(0, 40) };
        }
      }
    }
  }
  return { count, lowest };
}

/* Counts what only the markup can contain: style attributes, handlers in attributes, bytes of style and script. */
export function markup() {
  const all = [...document.querySelectorAll('*')], bytes = (text) => new TextEncoder().encode(text).length;
  const code = [...document.querySelectorAll('style, script')].filter((e) => e.localName === 'style' || /^(|module|text\/javascript)$/.test(e.type));
  return {
    style_attributes: all.filter((e) => e.hasAttribute('style')).length,
    handlers: all.filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name))).length,
    code_bytes: code.reduce((sum, e) => sum + bytes(e.textContent), 0),
  };
}

/* Runs axe, which must have been evaluated in the page before. Returns each violated rule with its first element, and the
 * lowest contrast of a text that axe could judge. */
export async function axeRules(tags) {
  const result = await window.axe.run(document, { runOnly: tags });
  const ratios = [...result.passes, ...result.violations].filter((rule) => rule.id === 'color-contrast')
    .flatMap((rule) => rule.nodes).flatMap((node) => node.any).map((check) => check.data?.contrastRatio).filter((r) => r > 0);
  return {
    violations: result.violations.map((rule) => `${rule.id}: ${rule.nodes.length}, first ${rule.nodes[0]?.html.slice(0, 110)}`),
    unclear: result.incomplete.map((rule) => `${rule.id}: ${rule.nodes.length}`),
    contrast: ratios.length ? Math.min(...ratios) : null,
  };
}
