import { splitWords } from '../support/split-words.ts'

/** What a text of Parley says how to do: a goal in words, and the command lines for it, in which `<name>` stands for a value. */
export interface PrintedGoal {
  readonly goal: string
  /** Command lines without `parley`; undefined where the text lacks one. */
  readonly lines: readonly (string | undefined)[]
  readonly risk: string | undefined
}

/** Returns the recipes of the skill: "- Roll back: `parley a`, then `parley b`". */
export const recipesOf = (skill: string): readonly PrintedGoal[] =>
  [...unwrapped(skill).matchAll(/^- ([^`\n]+): (`.*)$/gm)]
    .filter(([, , lines = '']) => lines.startsWith('`parley ') || lines.startsWith('``'))
    .map(([, goal = '', lines = '']) => ({
      goal,
      lines: lines.split(', then ').map((it) => /^`parley ([^`]+)`/.exec(it)?.[1]),
      risk: undefined,
    }))

/** Returns the nouns of the skill with their verbs: "- `keys`: list, get <id>, create (write)". */
export const nounsOf = (skill: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...unwrapped(skill).matchAll(/^- `([a-z -]+)`: ([a-z].*)$/gm)].map(([, noun = '', verbs = '']) => [
      noun,
      verbs.split(', ').map((it) => it.replace(/[ ,].*/, '')),
    ]),
  )

/** Returns the commands of the map: "numbers get <id>: Show a phone number of the account". */
export const mappedGoals = (map: string): readonly PrintedGoal[] =>
  [...map.matchAll(/^([a-z][a-z -]*(?: [<[][^>\]]+[>\]])?): ([A-Z].*?)(?: \(([a-z]+)\))?$/gm)].map(
    ([, line = '', goal = '', risk]) => ({ goal, lines: [line], risk }),
  )

/** Returns the flags of the page of a command, with what the page says about each. */
export const flagsOf = (page: string): readonly { readonly flag: string; readonly text: string }[] =>
  [...page.matchAll(/^ {2}(--[\w-]+)(?: <[^>]+>)? {2}(.*)$/gm)].map(([, flag = '', text = '']) => ({ flag, text }))

/** Returns a text of Parley as if it had never had a command: without its line, its recipes and its verb. */
export function withoutCommand(text: string, command: string): string {
  const noun = command.split(' ').slice(0, -1).join(' ')
  const verb = command.split(' ').at(-1) as string
  return unwrapped(text)
    .split('\n')
    .filter((line) => !new RegExp(`^${command}(?: [<[][^:]*)?: `).test(line))
    .map((line) => line.replaceAll(new RegExp(`\`parley ${command}(?: [^\`]*)?\``, 'g'), '``'))
    .map((line) =>
      line.startsWith(`- \`${noun}\`: `)
        ? line.replace(new RegExp(`(?<=[:,]) ${verb}(?: <[^>]+>)?(?: \\([a-z]+\\))?(?:,|$)`), '')
        : line,
    )
    .join('\n')
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

/** Returns the words of a text without endings: "Stopped campaigns" is stop, campaign. */
export const stems = (text: string): readonly string[] => wordsOf(text).map(stem)

const stem = (word: string): string =>
  word.length < 4 ? word : word.replace(/(?<=..)(?:ies|ing|ed|es|s|e|y)$/, '').replace(/([b-df-hj-np-tv-z])\1$/, '$1')

/**
 * Returns what a text says about a goal: the entry that has all words of it, in the command or in the words for it. Of several,
 * the one with most of its exact words, then the shortest. What destroys is returned only if the goal names its verb.
 */
export function findGoal(goals: readonly PrintedGoal[], wanted: string): PrintedGoal | undefined {
  const words: readonly string[] = wanted.toLowerCase().split(' ')
  const rank = ({ goal, lines }: PrintedGoal): number => {
    const given = wordsOf(`${goal} ${lines.join(' ')}`)
    return words.filter((it) => given.includes(it)).length - given.length / 1000
  }
  return goals
    .filter(({ goal, lines, risk }) => {
      const given = stems(`${goal} ${lines.join(' ')}`)
      const verb = splitWords(lines[0] ?? '').findLast((it) => /^[a-z]/.test(it)) as string
      return (
        stems(wanted).every((it) => given.includes(it)) &&
        (!(risk === 'destructive' || risk === 'severe') || words.includes(verb))
      )
    })
    .toSorted((one, other) => rank(other) - rank(one))[0]
}

/** Joins the lines that a text was wrapped to. */
export const unwrapped = (text: string): string => text.replaceAll(/\n {2,}(?=\S)/g, ' ')
