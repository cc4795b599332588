// screenshot.mjs PAGE PICTURE.png [WIDTH HEIGHT [SELECTOR]] - a picture of a report page for docs/results: its top, or
// the part that the selector names.  BROWSER_PATH names the browser; `run` installs what this needs.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [from, to, width = '980', height = '760', selector] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.BROWSER_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const viewport = { width: Number(width), height: Number(height) };
const page = await browser.newPage({ viewport, colorScheme: 'light', offline: true });
await page.goto(pathToFileURL(resolve(from)).href);
await page.waitForSelector('footer');
await page.waitForTimeout(200); // pictures are drawn to their width
await (selector ? page.locator(selector) : page).screenshot({ path: to });
await browser.close();
