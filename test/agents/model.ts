import type { Policy } from './run-tasks.ts'
import type { Claim } from './tasks.ts'

/** A model behind an endpoint for chat completions, as PARLEY_MODEL_URL, PARLEY_MODEL_KEY and PARLEY_MODEL_NAME say. */
export interface Model {
  readonly url: string
  readonly key: string
  readonly name: string
}

/** Returns the model that the environment names; undefined without one. */
export function modelFrom(env: Readonly<Record<string, string | undefined>>): Model | undefined {
  const { PARLEY_MODEL_URL: url, PARLEY_MODEL_KEY: key = '', PARLEY_MODEL_NAME: name = '' } = env
  return url ? { url, key, name } : undefined
}

const maxCalls = 20

const rules = `You operate a platform with the command line "parley". Answer each message with one JSON object and nothing else:
{"run": "<command line after parley>"} to run a command, or {"outcome": "done" | "waiting" | "refused" | "impossible", "answer": "<text>"} at the end.
"waiting": a person has to approve the operation. "refused": only a person may do it. "impossible": it cannot be done.`

/** A policy that asks a model, which may run any command line of Parley. @throws when it answers neither way, or never ends */
export const modelPolicy =
  (model: Model): Policy =>
  async (task, run) => {
    const messages: { role: 'system' | 'user' | 'assistant'; content: string }[] = [
      { role: 'system', content: `${rules}\n\n${(await run('help agents')).stdout}` },
      { role: 'user', content: task.request },
    ]
    for (let calls = 0; calls < maxCalls; calls++) {
      const content = await complete(model, messages)
      messages.push({ role: 'assistant', content })
      const said = JSON.parse(/\{[\s\S]*\}/.exec(content)?.[0] ?? '{}') as Partial<Claim> & { readonly run?: string }
      if (said.outcome) return { outcome: said.outcome, answer: String(said.answer ?? '') }
      if (typeof said.run !== 'string') throw new Error(`The model answered neither way: ${content.slice(0, 200)}`)
      messages.push({ role: 'user', content: JSON.stringify(await run(said.run.replace(/^parley /, ''))) })
    }
    throw new Error(`The model did not end within ${maxCalls} commands.`)
  }

async function complete({ url, key, name }: Model, messages: readonly object[]): Promise<string> {
  const response = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: name, messages, temperature: 0 }),
  })
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${(await response.text()).slice(0, 200)}`)
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}
