import { splitWords } from '../support/split-words.ts'

/** A command line of the map or the skill, in which `<name>` stands for a value. */
export interface PermittedLine {
  /** The line of the text that has it. */
  readonly source: string
  readonly words: readonly string[]
  /** Whether it is a line of the map, to which `--json` may be added. */
  readonly isMapped: boolean
}

/** Returns the command lines of the map: `numbers get <id>: Show a phone number of the account`. */
export const linesOfMap = (map: string): readonly PermittedLine[] =>
  map
    .split('\n')
    .filter((it) => /^[a-z][a-z -]*( [<[][^>\]]+[>\]])?: [A-Z]/.test(it) && !/^Exit codes/.test(it))
    .map((source) => ({ source, words: source.replace(/: [A-Z].*$/, '').split(' '), isMapped: true }))

/** Returns the command lines of the skill: those in backticks that begin with `parley`. */
export const linesOfSkill = (skill: string): readonly PermittedLine[] =>
  [...skill.matchAll(/`(parley [^`]+)`/g)].map(([, source = '']) => ({
    source,
    words: source.replace(/^parley /, '').split(' '),
    isMapped: false,
  }))

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns whether a word is one of a permitted line: `status=FAILED` is `<field>=<value>`. */
const isWord = (word: string, permitted: string): boolean =>
  new RegExp(
    `^${permitted
      .split(/<[^>]+>/)
      .map(escaped)
      .join('(?!--).+')}$`,
    's',
  ).test(word)

/** Returns whether a command line, without `parley`, is a permitted one with values. */
export function isPermitted(line: string, { words, isMapped }: PermittedLine): boolean {
  const given = splitWords(line)
  const last = words.at(-1) as string
  const ownWords = isMapped && given.at(-1) === '--json' ? given.slice(0, -1) : given
  const isOptional = isMapped && last.startsWith('[')
  if (isOptional && ownWords.length === words.length - 1)
    return words.slice(0, -1).every((it, n) => isWord(ownWords[n] as string, it))
  const wanted = words.map((it) => it.replace(/^\[(.+)\]$/, '<$1>'))
  return ownWords.length === wanted.length && wanted.every((it, n) => isWord(ownWords[n] as string, it))
}
