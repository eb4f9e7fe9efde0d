import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { isError } from '../../../node/is-error.ts'

/** A destination for text. */
export interface Sink {
  /** Resolves when the text is written. Rejects with ClosedPipe or OutputFailed. */
  write(text: string): Promise<void>
  readonly isTTY: boolean
  /** Width of the terminal in cells; 0 without a terminal or if unknown. */
  readonly columns: number
  /** Height of the terminal in lines; 0 without a terminal or if unknown. */
  readonly rows?: number
}

/** A source of text. */
export interface Source {
  readonly isTTY: boolean
  /** Chunks of UTF-8 text as they arrive; no character is ever split. */
  read(): AsyncIterable<string>
  /** Reads everything, without a byte order mark. Rejects with InputTooLong. */
  text(): Promise<string>
}

/** Standard input, output and error of the program; tests pass others. */
export interface Streams {
  readonly stdin: Source
  readonly stdout: Sink
  readonly stderr: Sink
}

/** Thrown if the reader closed the pipe (`parley ... | head`). Not an error, but output ends. It is recognized by its name, as `OutputFailed`. */
export class ClosedPipe extends Error {
  readonly exit: ExitName = 'done'

  constructor(cause?: unknown) {
    super('The reader closed the output.', { cause })
    this.name = 'ClosedPipe'
  }
}

/** Thrown if the output could not be written: a full disk, a failing device. program/run.ts and errors/error-report.ts recognize it by its name. */
export class OutputFailed extends Error {
  readonly exit: ExitName = 'internal'
  /** The system error code, such as ENOSPC. */
  readonly code: string
  /** As a clause: `no space left on the device (ENOSPC)`. */
  readonly reason: string

  constructor(code: string, reason: string, cause?: unknown) {
    super(`Cannot write the output: ${reason}.`, { cause })
    this.reason = reason
    this.name = 'OutputFailed'
    this.code = code
  }
}

/** Maximum length of a document in characters, the limit of the platform (`maxBodyBytes` of platform/server/http/read-input.ts). */
export const maxInputLength = 2 * 1024 * 1024

/** Thrown if the input exceeds the maximum length: a wrong file or an endless pipe. */
export class InputTooLong extends Error {
  readonly exit: ExitName = 'usage'
  readonly hint = 'Check that it is the right file, or that the piped input ends.'

  constructor(where: string) {
    super(`${where} is larger than ${maxInputLength / 1024 / 1024} MB.`)
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

/** Converts a write error to ClosedPipe or OutputFailed. */
export function toOutputError(error: unknown): ClosedPipe | OutputFailed {
  const code = isError(error) && 'code' in error ? String(error.code) : ''
  if (closedPipeCodes.has(code)) return new ClosedPipe(error)
  const known = reasons[code]
  const reason = isError(error) ? error.message : String(error)
  return new OutputFailed(code, known ? `${known} (${code})` : reason, error)
}

/** A Node output stream, terminal or not. */
export type NodeOutput = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}
/** A Node input stream, terminal or not. */
export type NodeInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean
  readonly isRaw?: boolean
  setRawMode?(mode: boolean): unknown
  destroy?(): unknown
}

/** Creates a sink for a Node stream that also accepts bytes. After the first failure, all writes fail with it. */
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
    get rows() {
      return stream.rows ?? 0
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

/** Creates a source for a Node stream. Reading starts on demand. */
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
