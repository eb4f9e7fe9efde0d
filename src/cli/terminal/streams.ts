import type { ExitName } from '../../contract/errors/exit-codes.ts'

/** Where text goes. */
export interface Sink {
  /** Resolves when the text has left this process. Rejects with ClosedPipe or OutputFailed. */
  write(text: string): Promise<void>
  readonly isTTY: boolean
  /** Width of the terminal in cells; 0 when there is none or it does not say. */
  readonly columns: number
}

/** Where text comes from. */
export interface Source {
  readonly isTTY: boolean
  /** Chunks of UTF-8 text as they arrive; no character is ever split. */
  read(): AsyncIterable<string>
  /** Everything up to the end, without a byte order mark. Rejects with InputTooLong. */
  text(): Promise<string>
}

export interface Streams {
  readonly stdin: Source
  readonly stdout: Sink
  readonly stderr: Sink
}

/** The reader went away (`parley ... | head`): nothing is wrong, and nothing more can be said. */
export class ClosedPipe extends Error {
  readonly exit: ExitName = 'done'

  constructor(cause?: unknown) {
    super('The reader of the output closed it.', { cause })
    this.name = 'ClosedPipe'
  }
}

/** The output could not be written: a full disk, a failing device. */
export class OutputFailed extends Error {
  readonly exit: ExitName = 'internal'
  /** The system's name for it, such as ENOSPC. */
  readonly code: string
  /** As a clause: `no space left on the device (ENOSPC)`. */
  readonly reason: string

  constructor(code: string, reason: string, cause?: unknown) {
    super(`The output could not be written: ${reason}.`, { cause })
    this.reason = reason
    this.name = 'OutputFailed'
    this.code = code
  }
}

/** Characters of the longest document, as many as a platform takes. */
export const maxInputLength = 2 * 1024 * 1024

/** More input than any document has: another file than was meant, or a pipe without an end. */
export class InputTooLong extends Error {
  readonly exit: ExitName = 'usage'
  readonly hint = 'Is it the file that was meant? What is piped in must end.'

  constructor(where: string) {
    super(`${where} is longer than ${maxInputLength / 1024 / 1024} MB.`)
    this.name = 'InputTooLong'
  }
}

const closedPipeCodes = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the device failed',
  EFBIG: 'the file is too large',
  EBADF: 'it is closed',
}

/** What went wrong with a write, as a run tells it. */
export function toOutputError(error: unknown): ClosedPipe | OutputFailed {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (closedPipeCodes.has(code)) return new ClosedPipe(error)
  const known = reasons[code]
  const reason = error instanceof Error ? error.message : String(error)
  return new OutputFailed(code, known ? `${known} (${code})` : reason, error)
}

/** What a Node stream for output offers, terminal or not. */
export type NodeOutput = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
/** What a Node stream for input offers, terminal or not. */
export type NodeInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean
  readonly isRaw?: boolean
  setRawMode?(mode: boolean): unknown
}

/** A sink over a Node stream, for bytes too. The first failure is kept: everything written later fails in the same way. */
export function sinkFromNode(stream: NodeOutput): Sink & { write(text: string | Uint8Array): Promise<void> } {
  let failure: ClosedPipe | OutputFailed | undefined
  const rememberFailure = (error: unknown): ClosedPipe | OutputFailed => {
    failure ??= toOutputError(error)
    return failure
  }
  // Without a listener the same error would also end the process as an uncaught exception.
  stream.on('error', rememberFailure)
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 0
    },
    write: (text) => {
      if (failure) return Promise.reject(failure)
      if (text.length === 0) return Promise.resolve()
      return new Promise((resolve, reject) => {
        try {
          stream.write(text, (error) => (error ? reject(rememberFailure(error)) : resolve()))
        } catch (error) {
          reject(rememberFailure(error))
        }
      })
    },
  }
}

/** A source over a Node stream. Nothing is read before it is asked for. */
export function sourceFromNode(stream: NodeInput): Source {
  async function* read(): AsyncIterable<string> {
    stream.setEncoding('utf8')
    for await (const chunk of stream) yield String(chunk)
  }
  return {
    isTTY: stream.isTTY === true,
    read,
    text: async () => {
      let all = ''
      for await (const chunk of read()) {
        all += chunk
        if (all.length > maxInputLength) throw new InputTooLong('Standard input')
      }
      return all.startsWith('\uFEFF') ? all.slice(1) : all
    },
  }
}
