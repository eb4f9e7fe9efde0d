// npm run agents: does the tasks of an operator with the scripted policy, and with a model if one is configured.
import { join } from 'node:path'
import { cwd, env, exit, stdout } from 'node:process'
import { modelFrom, modelPolicy } from './model.ts'
import { median, type Policy, type Result, runTasks } from './run-tasks.ts'
import { scripted } from './scripted-policy.ts'
import { tasks } from './tasks.ts'

const program = join(cwd(), 'bin/parley.js')

const tokensOf = (characters: number): number => Math.ceil(characters / 4)

function report(title: string, results: readonly Result[]): void {
  stdout.write(`${title}\n`)
  for (const { task, succeeded, calls, characters, isFalseDone, failure } of results) {
    const end = succeeded ? 'ok' : isFalseDone ? 'false "done"' : (failure ?? 'wrong claim')
    stdout.write(
      `  ${task.padEnd(20)}${String(calls).padStart(3)} calls${String(tokensOf(characters)).padStart(7)} tokens  ${end}\n`,
    )
  }
  const count = (test: (result: Result) => boolean): number => results.filter(test).length
  stdout.write(
    `  ${count((it) => it.succeeded)} of ${results.length} succeeded, ${count((it) => it.isFalseDone)} false "done", at the median ${median(results.map((it) => it.calls))} calls and ${tokensOf(median(results.map((it) => it.characters)))} tokens of 4 characters\n`,
  )
}

async function perform(title: string, policy: Policy): Promise<boolean> {
  const results = await runTasks(program, tasks, policy)
  report(title, results)
  return results.every((it) => it.succeeded)
}

const isWhole = await perform('Scripted policy', scripted())
const model = modelFrom(env)
if (model) await perform(`Model ${model.name}`, modelPolicy(model))
else stdout.write('No model: set PARLEY_MODEL_URL, PARLEY_MODEL_KEY and PARLEY_MODEL_NAME.\n')
exit(isWhole ? 0 : 1)
