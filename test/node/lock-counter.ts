import { readFileSync } from 'node:fs'
import { whileFileLocked } from '../../src/node/file-lock.ts'
import { replaceFile } from '../../src/node/replace-file.ts'

/** Adds 1 to the number in a file, which is not atomic without a lock: `node counter <file> <count>`. */
const [file = '', count = '0'] = process.argv.slice(2)
for (let i = 0; i < Number(count); i++) {
  const total = whileFileLocked(`${file}.lock`, () => {
    const next = Number(readFileSync(file, 'utf8')) + 1
    replaceFile(file, String(next), { isDurable: false })
    return next
  })
  await new Promise((done) => process.stdout.write(`${total}\n`, done))
}
