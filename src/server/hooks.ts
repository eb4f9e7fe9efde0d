import type { PlainRequest, PlainResponse } from '../contract/message.ts'
import type { HookRequest } from '../services/automations/hooks.ts'
import { callBackPath, callBacksAt, type HookMode, type HookResult, hookService, hooksAt } from '../services/automations/hooks.ts'
import type { Deps } from '../services/deps.ts'
import type { Handle } from './app.ts'
import { maxHookBody } from './input.ts'

const json = (status: number, body: unknown, headers: Record<string, string> = {}): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const modes: Readonly<Record<string, HookMode>> = {
  '': { isSync: false, isDraft: false, isTest: false },
  '/sync': { isSync: true, isDraft: false, isTest: false },
  '/draft': { isSync: false, isDraft: true, isTest: false },
  '/draft/sync': { isSync: true, isDraft: true, isTest: false },
  '/test': { isSync: false, isDraft: false, isTest: true },
}

/** Answers calls to the webhooks of automations: every method, whatever the body is. Never throws. */
export function hookHandle(deps: Deps): Handle {
  const service = hookService(deps)

  async function answer(request: PlainRequest): Promise<PlainResponse> {
    const { pathname, searchParams } = new URL(request.url, 'http://platform')
    if (request.body !== undefined && Buffer.byteLength(request.body) > maxHookBody) return json(413, { message: 'The request body is larger than 5 MB.' })
    const asked: HookRequest = { method: request.method, headers: request.headers, queryParams: Object.fromEntries(searchParams), body: bodyOf(request) }
    if (pathname.startsWith(callBacksAt)) {
      const [wait = '', suffix] = pathname.slice(callBacksAt.length).split('/')
      if (suffix !== undefined && suffix !== 'sync') return json(404, { message: 'Not Found' })
      return told(await service.callBack(decodeURIComponent(wait).replaceAll('\0', ''), asked, suffix === 'sync'), originOf(request))
    }
    const [, id = '', suffix = ''] = /^([^/]+)(\/.*?)?\/?$/.exec(pathname.slice(hooksAt.length)) ?? []
    const mode = Object.hasOwn(modes, suffix) ? modes[suffix] : undefined
    if (!pathname.startsWith(hooksAt) || !mode) return json(404, { message: 'Not Found' })
    const key = request.headers['idempotency-key']
    if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) return json(422, { message: 'The Idempotency-Key must have 1 to 255 printable characters.' })
    return told(await service.receive(id, mode, asked, key), originOf(request))
  }

  return async (request) => {
    try {
      return await answer(request)
    } catch (error) {
      deps.log(`${request.method} ${request.url}: ${(error as Error).stack}`)
      return error instanceof URIError ? json(400, { message: 'Bad Request' }) : json(500, { message: 'Server Error' })
    }
  }
}

function told(result: HookResult, origin: string): PlainResponse {
  switch (result.kind) {
    case 'unknown':
      return json(410, { message: 'There is no webhook at this address.' })
    case 'disabled':
      return json(404, { message: 'The automation is switched off.' })
    case 'unauthorized':
      return json(401, { message: 'Unauthenticated.' })
    case 'kept':
      return json(200, {})
    case 'accepted':
      return json(200, {}, { 'x-webhook-id': result.run })
    case 'no_answer':
      return { status: 204, headers: {}, body: '' }
    case 'failed':
      return json(500, { message: 'The automation failed.' }, { 'x-webhook-id': result.run })
    case 'answered': {
      const { status, headers, body, resume } = result.answer
      const isText = typeof body === 'string'
      return {
        status,
        headers: {
          'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
          ...safe(headers),
          'x-webhook-id': result.run,
          ...(resume !== undefined && { 'x-engine-resume-webhook-url': `${origin}${callBackPath(resume)}` }),
        },
        body: status === 204 || status === 304 ? '' : isText ? body : JSON.stringify(body ?? {}),
      }
    }
  }
}

/** What the connection itself needs is not for a flow to say, nor what is no header at all. */
const own = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'trailer'])

function safe(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return Object.fromEntries(entries.filter(([name, value]) => !own.has(name) && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)))
}

/** JSON and forms as what they mean, anything else as the text it is. */
function bodyOf({ body, headers }: PlainRequest): unknown {
  if (body === undefined || body === '') return {}
  const type = headers['content-type'] ?? ''
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return Object.fromEntries(new URLSearchParams(body))
  if (type !== '' && !/\bjson\b/i.test(type)) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

const originOf = ({ headers }: PlainRequest): string =>
  headers['host'] === undefined ? '' : `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers['host']}`
