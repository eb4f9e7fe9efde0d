import { isPermitted, linesOfMap, linesOfSkill, type PermittedLine } from './permitted-lines.ts'
import type { Claim, Hands, Task } from './tasks.ts'
import { createWorkplace, type Printed, type Workplace } from './workplace.ts'

/** How a task ended. */
export interface Result {
  readonly task: string
  /** Whether the platform agrees with the claim. */
  readonly succeeded: boolean
  /** Whether the agent claimed a success that the platform does not show. */
  readonly isFalseDone: boolean
  /** Commands that it ran, with those that print the map and the skill. */
  readonly calls: number
  /** Characters that it read and wrote. */
  readonly characters: number
  /** The command lines that it ran with the values of the task. */
  readonly used: readonly string[]
  readonly failure: string | undefined
}

/** What an agent does with a task, and what it reads and runs for it. */
export type Policy = (task: Task, run: (line: string) => Promise<Printed>, used: Set<string>) => Promise<Claim>

/** Does tasks one after another, and compares each claim with the platform. `program` is the path of bin/parley.js. */
export async function runTasks(program: string, tasks: readonly Task[], policy: Policy): Promise<Result[]> {
  const results: Result[] = []
  for (const task of tasks) {
    const place = await createWorkplace(program)
    try {
      results.push(await runTask(place, task, policy))
    } finally {
      place.remove()
    }
  }
  return results
}

async function runTask(place: Workplace, task: Task, policy: Policy): Promise<Result> {
  await task.prepare?.(place)
  const used = new Set<string>()
  let calls = 0
  let characters = 0
  const run = async (line: string): Promise<Printed> => {
    const printed = await place.asAgent(line)
    calls += 1
    characters += line.length + printed.stdout.length + printed.stderr.length
    return printed
  }
  const common = () => ({ task: task.name, calls, characters, used: [...used] })
  try {
    const claim = await policy(task, run, used)
    const succeeded = await task.check(place, claim)
    return { ...common(), succeeded, isFalseDone: claim.outcome === 'done' && !succeeded, failure: undefined }
  } catch (error) {
    return { ...common(), succeeded: false, isFalseDone: false, failure: (error as Error).message }
  }
}

/**
 * The scripted policy: it reads the skill, and the map when the skill lacks a line, and runs only lines that one of them has.
 * `without` removes a line from the texts, as if it had never been written.
 */
export const scripted =
  (without?: string): Policy =>
  async (task, run, used) => {
    const has = ({ source }: PermittedLine): boolean => source !== without
    const known = [...linesOfSkill((await run('help agents')).stdout.replaceAll(/\s+/g, ' '))].filter(has)
    let hasMap = false
    const permit = async (line: string): Promise<void> => {
      let found = known.find((it) => isPermitted(line, it))
      if (!found && !hasMap) {
        hasMap = true
        known.push(...linesOfMap((await run('commands')).stdout).filter(has))
        found = known.find((it) => isPermitted(line, it))
      }
      if (!found) throw new Error(`No line of the map or the skill permits: parley ${line}`)
      used.add(line)
    }
    let last: Printed = { exitCode: 0, stdout: '', stderr: '' }
    const hands: Hands = {
      async run<T>(line: string) {
        await permit(line)
        last = await run(line)
        return last.exitCode === 0 && last.stdout !== '' ? (JSON.parse(last.stdout) as T) : undefined
      },
      get exitCode() {
        return last.exitCode
      },
      get error() {
        return last.exitCode === 0 ? undefined : JSON.parse(last.stderr).error
      },
    }
    return task.solve(hands)
  }

/** Returns the middle value; of an even number, the upper one of the two in the middle. */
export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
