import type { FunctionRun, ModelRequest } from '../ports/providers.ts'

/** Has a function run that a model asked for by name. What goes wrong is its result: the model is told, and goes on. */
export async function runFunction(
  { functions, onRun }: ModelRequest,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<FunctionRun> {
  const wanted = functions.find((it) => it.name === name)
  const result = wanted
    ? await wanted.run(args).catch((error: Error) => ({ error: error.message }))
    : { error: `Unknown function ${name}.` }
  const run: FunctionRun = { name, arguments: args, result }
  onRun?.(run)
  return run
}
