import type { Claim, Task } from './tasks.ts'
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
  /** How the agent said that it ended; undefined if it failed before. */
  readonly outcome: Claim['outcome'] | undefined
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
      await place.remove()
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
    return {
      ...common(),
      succeeded,
      isFalseDone: claim.outcome === 'done' && !succeeded,
      outcome: claim.outcome,
      failure: undefined,
    }
  } catch (error) {
    return { ...common(), succeeded: false, isFalseDone: false, outcome: undefined, failure: (error as Error).message }
  }
}

/** Returns the middle value; of an even number, the upper one of the two in the middle. */
export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
