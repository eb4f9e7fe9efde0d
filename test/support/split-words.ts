/** Splits a command line like a POSIX shell: single quotes preserve everything, double quotes and `\` escape. */
export function splitWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [, single, double, escaped, blank, plain] of line.matchAll(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)/gs,
  )) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '')
  }
  return word === undefined ? words : [...words, word]
}
