import { argv, cwd, exit, stderr } from 'node:process'
import { generate } from './generated-files.ts'

const check = argv.includes('--check')
const stale = await generate(cwd(), check)
for (const path of stale) stderr.write(`${check ? 'stale' : 'written'}: ${path}\n`)
if (check && stale.length > 0) {
  stderr.write('These generated files are out of date. Run: npm run generate\n')
  exit(1)
}
