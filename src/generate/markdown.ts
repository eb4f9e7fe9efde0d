/** Returns a Markdown table. Bars inside cells are escaped. Also of scripts/docs. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n')

/** Returns plain text as Markdown that shows it unchanged. Also of scripts/docs. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\<*_`[\]]/g, '\\$&')

/**
 * Returns the anchor of a heading: `parley keys list` becomes `parley-keys-list`. GitHub and the documentation site form
 * anchors this way, so it is not free. Also of scripts/docs/site-pages.ts and the test of links.
 */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
