import { createInterface } from 'node:readline'
import type { Context } from '../../context.ts'
import { Interrupted } from '../../prompts.ts'

/** Lines as a person types them, each after a question mark of its own on stderr; Ctrl-D ends them, Ctrl-C is Interrupted, and aborts what is under way. */
export async function* typed({ world }: Context, interrupt: AbortController): AsyncGenerator<string> {
  const { input, output } = world.terminal
  const draws = world.env.TERM !== 'dumb' && world.streams.stderr.columns > 0
  const reader = createInterface({ input, output, prompt: 'You        ', terminal: draws })
  const stop = (): void => {
    interrupt.abort()
    reader.close()
  }
  reader.on('SIGINT', stop)
  world.signal.addEventListener('abort', stop, { once: true })
  try {
    reader.prompt()
    for await (const line of reader) {
      yield line
      reader.prompt()
    }
    await world.streams.stderr.write('\n')
    if (interrupt.signal.aborted) throw new Interrupted()
  } finally {
    world.signal.removeEventListener('abort', stop)
    reader.close()
  }
}

/** Lines from a pipe: text, or a JSON object with the text as `message`. */
export async function* piped({ world }: Context): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of untilAborted(world.streams.stdin.read(), world.signal)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.map(messageOf)
  }
  if (rest !== '') yield messageOf(rest)
}

async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let stop: () => void = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted(signal.reason))
  })
  stopped.catch(() => {})
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), stopped])
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function messageOf(line: string): string {
  const text = line.replace(/^\uFEFF/, '').trim()
  if (!text.startsWith('{')) return text
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}
