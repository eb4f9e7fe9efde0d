const blockLength = 8000

/**
 * Splits a long text into blocks of about 8000 characters, at the end of a line or word. The blocks together are the
 * text: a browser lays out only those that are visible.
 */
export function textBlocks(text: string): string[] {
  const blocks: string[] = []
  let start = 0
  while (text.length - start > blockLength * 1.5) {
    const limit = start + blockLength
    const line = text.lastIndexOf('\n', limit)
    const word = text.lastIndexOf(' ', limit)
    // Not inside a pair of surrogates.
    const hard = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') ? limit + 1 : limit
    const end = line > start + blockLength / 2 ? line + 1 : word > start + blockLength / 2 ? word + 1 : hard
    blocks.push(text.slice(start, end))
    start = end
  }
  blocks.push(text.slice(start))
  return blocks
}
