/**
 * Returns a random UUID (version 4) from a source of numbers between 0 and 1. It is unique but not secret. Loading
 * node:crypto would take longer than a request.
 */
export function randomUuid(random: () => number): string {
  let text = ''
  for (let n = 0; n < 32; n++) {
    const drawn = Math.floor(random() * 16)
    if (n === 8 || n === 12 || n === 16 || n === 20) text += '-'
    text += digits[n === 12 ? 4 : n === 16 ? 8 + (drawn % 4) : drawn]
  }
  return text
}

const digits = '0123456789abcdef'
