// @ts-check
/**
 * Returns what a source calls at a place, such as `inputs.day.trim`, or undefined if no name is there. The engine says
 * only "not a function" and the place of the name, which counts from 0 in the first line and from 1 in the others.
 * @param {string} source @param {number} line @param {number} column
 */
export function calledName(source, line, column) {
  const text = source.split('\n')[line - 1] ?? ''
  const start = line === 1 ? column : column - 1
  const name = /^[\p{L}_$][\p{L}\p{N}_$]*(?=\s*(?:\?\.)?\()/u.exec(text.slice(start))?.[0]
  if (name === undefined || /[\p{L}\p{N}_$]$/u.test(text.slice(0, start))) return undefined
  const owner = /(?:[\p{L}_$][\p{L}\p{N}_$]*\??\.)*$/u.exec(text.slice(0, start))?.[0] ?? ''
  const isWhole = !/[\p{N}.\])'"`}]\s*$/u.test(text.slice(0, start - owner.length))
  return isWhole && `${owner}${name}`.length <= 100 ? `${owner}${name}` : name
}
