/** A random UUID (version 4) from a source of numbers between 0 and 1. Unique, not secret: node:crypto would cost more to load than a request takes. */
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
