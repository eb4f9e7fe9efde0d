// @ts-check
// Thread that runs jq. In JavaScript, because a thread is started from its file: the source, or the bundle.
import { parentPort, workerData } from 'node:worker_threads'
import createJq from 'jq-wasm/dist/build/jq.js'

// The bundle has the WebAssembly module in a file of its own; the package has it in its source.
const jq = createJq(workerData.wasm ? { wasmBinary: workerData.wasm } : {})

parentPort?.on('message', async (/** @type {{ input: string, filter: string, flags: string[] }} */ message) => {
  try {
    parentPort?.postMessage({ text: await (await jq).raw(message.input, message.filter, message.flags) })
  } catch (error) {
    parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
})
