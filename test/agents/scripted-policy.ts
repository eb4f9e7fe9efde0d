import { splitWords } from '../support/split-words.ts'
import {
  findGoal,
  flagsOf,
  mappedGoals,
  nounsOf,
  type PrintedGoal,
  recipesOf,
  stems,
  unwrapped,
  withoutCommand,
} from './printed-lines.ts'
import type { Policy } from './run-tasks.ts'
import type { Hands } from './tasks.ts'
import type { Printed } from './workplace.ts'

/**
 * The scripted policy: it knows no command. It reads the skill, searches it for words of the request, and reads the map where
 * the skill has nothing. A value is one of the request, or was printed before. `without` is a command that none of the texts has.
 */
export const scripted =
  (without?: string): Policy =>
  async (task, run, used) => {
    const read = async (line: string): Promise<string> => {
      const { stdout } = await run(line)
      return without === undefined ? stdout : withoutCommand(stdout, without)
    }
    const skill = unwrapped(await read('help agents'))
    const nouns = nounsOf(skill)
    let map: readonly PrintedGoal[] | undefined
    let seen = `${task.request}\n${skill}`
    let last: Printed = { exitCode: 0, stdout: '', stderr: '' }

    /** Replaces `<noun>` by the noun of a word; undefined if the skill has no such noun, or not that command of it. */
    function ofNoun(line: string | undefined, word: string | undefined): string | undefined {
      if (!line?.includes('<noun>') || word === undefined) return line
      const noun = [...nouns.keys(), ...(nouns.get('refs') ?? [])].find((it) => stems(it)[0] === stems(word)[0])
      const command = line.replace('<noun>', noun ?? '')
      const [one = '', two = ''] = command.split(' ')
      return noun && nouns.get(one)?.includes(two) ? command : undefined
    }

    async function execute(line: string): Promise<void> {
      used.add(line)
      last = await run(line)
      const confirmation = /^Pass (--[\w-]+) to confirm/.exec(errorOf(last)?.hint ?? '')?.[1]
      if (confirmation && !splitWords(line).includes(confirmation)) last = await run(`${line} ${confirmation}`)
      seen += `\n${last.stdout}\n${last.stderr}`
    }

    const hands: Hands = {
      async find(goal, noun) {
        for (const word of stems(`${goal} ${noun ?? ''}`))
          if (!stems(task.request).includes(word)) throw new Error(`The request has no word "${word}".`)
        const recipe = findGoal(recipesOf(skill), goal)
        const lines = recipe?.lines.map((it) => ofNoun(it, noun))
        if (lines?.every((it) => it !== undefined)) return lines as string[]
        map ??= mappedGoals(await read('commands'))
        const found = findGoal(map, `${goal} ${noun ?? ''}`.trim())
        if (!found) throw new Error(`Neither the skill nor the map says how to do this: ${goal} ${noun ?? ''}`)
        return found.lines as string[]
      },
      async run<T>(line: string | undefined, values: Readonly<Record<string, string>> = {}) {
        if (line === undefined) throw new Error('The text has no further command for this goal.')
        for (const value of Object.values(values))
          if (!seen.includes(value)) throw new Error(`Neither the request nor an answer has the value "${value}".`)
        const { words, rest } = filled(line, values)
        if (rest.length > 0) {
          const command = words.filter((it) => /^[a-z-]+$/.test(it)).slice(0, 2)
          const flags = flagsOf(await read(`commands ${command.join(' ')}`))
          for (const name of rest) {
            const found = flags.find(({ text }) => stems(name).every((it) => stems(text).includes(it)))
            if (!found) throw new Error(`The page of "${command.join(' ')}" has no flag for: ${name}`)
            words.push(found.flag, quoted(values[name] as string))
          }
        }
        const needsJson = skill.includes('Use `--json` for results') && !words.includes('--json')
        await execute([...words, ...(needsJson ? ['--json'] : [])].join(' '))
        return last.exitCode === 0 && last.stdout !== '' ? (JSON.parse(last.stdout) as T) : undefined
      },
      get next() {
        return /^Next: parley (.+)$/m.exec(last.stderr)?.[1]
      },
      get exitCode() {
        return last.exitCode
      },
      get error() {
        return errorOf(last)
      },
    }
    return task.solve(hands)
  }

/** Returns the error that a command printed; undefined if it succeeded. */
const errorOf = ({ exitCode, stderr }: Printed) =>
  exitCode === 0
    ? undefined
    : (JSON.parse(stderr.trim().split('\n').at(-1) as string).error as Exclude<Hands['error'], undefined>)

const quoted = (value: string): string => (/^[\w.:+/-]+$/.test(value) ? value : JSON.stringify(value))

/**
 * Puts values into the places of a line. A place has the name of its flag, or its own: `--from <number>` is `from`. A flag whose
 * value is not given is left out, as it is an example. `rest` are the values that the line has no place for.
 */
function filled(line: string, values: Readonly<Record<string, string>>): { words: string[]; rest: string[] } {
  const words: string[] = []
  const unused = new Set(Object.keys(values))
  for (const word of splitWords(line)) {
    const flag = words.at(-1)
    const names = [...word.matchAll(/[<[]([^>\]]+)[>\]]/g)].map((it) => it[1] as string)
    const ofFlag = flag?.startsWith('--') && names.length === 1 ? flag.slice(2).replaceAll('-', ' ') : undefined
    const given = names.map((name) => (ofFlag !== undefined && unused.has(ofFlag) ? ofFlag : name))
    if (given.every((it) => unused.has(it))) {
      let n = 0
      const text = word.replaceAll(/[<[][^>\]]+[>\]]/g, () => values[given[n++] as string] as string)
      words.push(names.length > 0 ? quoted(text) : word)
      for (const name of given) unused.delete(name)
    } else if (flag?.startsWith('--')) words.pop()
    else if (!word.startsWith('[')) throw new Error(`The line "${line}" needs a value for ${word}.`)
  }
  return { words, rest: [...unused] }
}
