/* What the tests of a page share: comparing, waiting, keys, pointer, and running the cases one after the other. */
export const same = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${JSON.stringify(a)} is not ${JSON.stringify(b)}`); };
export const near = (a, b, most) => { if (!(Math.abs(a - b) <= most)) throw new Error(`${a} is not ${b} ± ${most}`); };
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/* Waits until an expression in the page is true. A busy machine gets enough time. */
export async function comes(page, expression) {
  for (let tries = 0; tries < 600; tries++) {
    if (await page.ask(`!!(${expression})`)) return;
    await wait(50);
  }
  throw new Error('never: ' + expression);
}

/* Presses and releases a key. `modifiers` are bits: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
export async function key(page, name, modifiers = 0) {
  const text = name.length === 1 && !modifiers ? name : undefined;
  await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: name, text, modifiers });
  await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key: name, modifiers });
}

export const mouse = (page, type, x, y, more = {}) => page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', ...more });

export async function click(page, x, y) {
  for (const type of ['mousePressed', 'mouseReleased']) await mouse(page, type, x, y, { clickCount: 1 });
}

/* Drags with the mouse in small moves, as a hand does. */
export async function drag(page, from, to, modifiers = 0) {
  await mouse(page, 'mousePressed', from.x, from.y, { clickCount: 1, modifiers, buttons: 1 });
  for (let i = 1; i <= 8; i++) await mouse(page, 'mouseMoved', from.x + (to.x - from.x) * i / 8, from.y + (to.y - from.y) * i / 8, { modifiers, buttons: 1 });
  await mouse(page, 'mouseReleased', to.x, to.y, { clickCount: 1, modifiers });
}

/* Runs the cases, and prints `ok - name` or `not ok - name` for each. */
export async function run(prefix, cases) {
  for (const [name, body] of cases) {
    try {
      await body();
      console.log(`ok - ${prefix}_${name}`);
    } catch (error) {
      console.log(`not ok - ${prefix}_${name}\n    ${String(error.message).slice(0, 600)}`);
    }
  }
}
