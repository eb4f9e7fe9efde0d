import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { JudgedItem } from '../../../../src/cli/features/judge/criterion-result.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import type { ModelRequest, ModelServer } from '../../../support/servers/model-server.ts'

/** What was said: messages of the customer and the assistant in turn, the first by the customer. */
export type Spoken = readonly string[]

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Lets the platform have these conversations, newest first. */
export const having = (conversations: readonly Spoken[], customer: object | null = null): RunOptions => ({
  through: async (handle, request) => {
    const [path = ''] = request.url.split('?')
    const answer = (body: object) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (request.method === 'GET' && path === '/api/user/conversations') {
      const response = await handle({ ...request, url: path })
      const page = JSON.parse(String(response.body))
      const data = conversations.map((messages, n) => ({
        ...page.data[0],
        id: uuid(n),
        assistant_name: 'Front desk',
        message_count: messages.length,
      }))
      return answer({ ...page, data, total: data.length, last_page: 1, next_page_url: null })
    }
    const [, id] = /^\/api\/conversations\/([\w-]+)$/.exec(path) ?? []
    const found = request.method === 'GET' ? conversations[Number(id?.slice(-12))] : undefined
    if (!found || !id?.startsWith('00000000-')) return handle(request)
    const history = found.map((content, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content }))
    return answer({ status: true, history, variables: {}, customer })
  },
})

/** A rubric with one question. */
export const politeness = `
version: 1
name: Front desk
criteria:
  - id: helpful
    question: Did the assistant answer the question?
    scale: 10
`

/** Returns an operator with a rubric in the working folder. */
export function judgeWith(rubric: string): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, 'rubric.yaml'), rubric)
  return by
}

/** Judges conversations and returns what is printed. */
export async function judged(
  by: Operator,
  flags: string,
  options: RunOptions,
): Promise<{ readonly items: readonly JudgedItem[]; readonly stderr: string; readonly exitCode: number }> {
  const { exitCode, stdout, stderr } = await by.run(`conversations judge --rubric rubric.yaml --json ${flags}`, options)
  expect(stdout, stderr).not.toBe('')
  return { items: JSON.parse(stdout), stderr, exitCode }
}

/** The environment with which a model judges. */
export const modelEnv = (model: ModelServer) => ({
  PARLEY_MODEL_URL: model.url,
  PARLEY_MODEL: 'scripted',
  PARLEY_MODEL_KEY: 'sk-test-0123456789abcdef',
})

/** The conversation in a request as the model sees it: what is between the first opening and the first closing mark. */
export function block({ body }: ModelRequest): readonly { message: number; role: string; text: string }[] {
  const text = String(body.messages.at(-1).content)
  const inside = text.slice(text.indexOf('<conversation>') + 14, text.indexOf('</conversation>'))
  return inside
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Everything in a request that is not in the block of the conversation. */
export function outside({ body }: ModelRequest): string {
  const all = body.messages.map((it: { content: string }) => it.content)
  const text = String(all.at(-1))
  return [
    ...all.slice(0, -1),
    text.slice(0, text.indexOf('<conversation>')),
    text.slice(text.indexOf('</conversation>') + 15),
  ].join('\n')
}

/** Returns an answer with one score and one quote. */
export const scored = (id: string, score: unknown, message: number, text: string) => [
  { say: JSON.stringify({ scores: [{ id, score, reason: 'Because.', quotes: [{ message, text }] }] }) },
]
