/**
 * Returns a repeatable random generator: the same text always gives the same sequence. Each call returns an integer
 * from 0 to `below` - 1. Not for secrets.
 */
export function seededRandom(text: string): (below: number) => number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return (below) => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000) * below)
  }
}
