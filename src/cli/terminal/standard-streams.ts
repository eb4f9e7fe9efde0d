import { createDescriptorSink, createDescriptorSource } from './descriptor-streams.ts'
import { type Streams, sinkFromNode, sourceFromNode } from './streams.ts'

/** Returns the standard streams of this process. */
export function standardStreams(os: string): Streams {
  // Writing to file descriptors directly is not reliable on Windows.
  if (os === 'win32')
    return {
      stdin: sourceFromNode(process.stdin),
      stdout: sinkFromNode(process.stdout),
      stderr: sinkFromNode(process.stderr),
    }
  return {
    stdin: createDescriptorSource(0, () => process.stdin),
    stdout: createDescriptorSink(1, () => process.stdout),
    stderr: createDescriptorSink(2, () => process.stderr),
  }
}
