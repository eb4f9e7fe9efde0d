import type { FunctionRun, ModelRequest } from '../../../engine/ports.ts'

/**
 * Runs the function that a model requested. An error becomes the result, as `error`, so that the model can react to it. The run is
 * stored with the message and shown in `function_calls`.
 */
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
