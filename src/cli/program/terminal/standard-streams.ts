import { fstatSync, type Stats, statSync, writeSync } from 'node:fs'
import { nullDevice } from '../../../node/operating-system.ts'
import {
  type NodeInput,
  type NodeOutput,
  type Sink,
  type Source,
  type Streams,
  sinkFromNode,
  sourceFromNode,
  toOutputError,
} from './streams.ts'

/** Bytes that fit into the buffer of any pipe, so that a direct write does not block. */
const maxDirectBytes = 8192

/**
 * Creates a sink for an open descriptor. Opening a Node stream is slow, so short text to a pipe or file is written
 * directly; terminals, long text and full pipes use the stream from `open`.
 */
export function createDescriptorSink(fd: number, open: () => NodeOutput): Sink {
  const isDevice = once(() => mayBeTerminal(fd))
  const sink = once(() => sinkFromNode(open()))
  let written = 0
  let isOpen = false
  let failure: Error | undefined
  const throughStream = (text: string | Uint8Array): Promise<void> => {
    isOpen = true
    return sink().write(text)
  }
  return {
    get isTTY() {
      return isDevice() && sink().isTTY
    },
    get columns() {
      return isDevice() ? sink().columns : 0
    },
    get rows() {
      return isDevice() ? (sink().rows ?? 0) : 0
    },
    async write(text) {
      if (failure) throw failure
      const bytes = Buffer.from(text)
      written += bytes.length
      if (isOpen || written > maxDirectBytes || isDevice()) return throughStream(text)
      let rest: Uint8Array = bytes
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return throughStream(rest)
        failure = toOutputError(error)
        throw failure
      }
    },
  }
}

/** Creates a source for an open descriptor; its stream is opened on the first read, or if it may be a terminal. */
export function createDescriptorSource(fd: number, open: () => NodeInput): Source {
  const source = once(() => sourceFromNode(open()))
  return {
    get isTTY() {
      return mayBeTerminal(fd) && source().isTTY
    },
    read: () => source().read(),
    text: () => source().text(),
  }
}

/** Returns whether the descriptor may be a terminal or another device that requires a stream. */
function mayBeTerminal(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return !(stats.isFIFO() || stats.isFile() || stats.isSocket() || isNullDevice(stats))
  } catch {
    return true
  }
}

/** Returns whether the descriptor is the null device, a common stdin of scripts for which opening a stream is slow. */
function isNullDevice(stats: Stats): boolean {
  const device = nullDevice()
  return device !== undefined && stats.isCharacterDevice() && stats.rdev === statSync(device).rdev
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The system and standard streams of a process. A stream is created when it is read. */
type StandardStreams = Pick<NodeJS.Process, 'platform' | 'stdin' | 'stdout' | 'stderr'>

/** Returns the standard streams of a process. */
export function standardStreams(node: StandardStreams): Streams {
  // Writing to file descriptors directly is not reliable on Windows.
  if (node.platform === 'win32')
    return {
      stdin: sourceFromNode(node.stdin),
      stdout: sinkFromNode(node.stdout),
      stderr: sinkFromNode(node.stderr),
    }
  return {
    stdin: createDescriptorSource(0, () => node.stdin),
    stdout: createDescriptorSink(1, () => node.stdout),
    stderr: createDescriptorSink(2, () => node.stderr),
  }
}
