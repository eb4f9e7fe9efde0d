import { spawnSync } from 'node:child_process'
import { argv, cwd, execPath, exit, stderr } from 'node:process'
import { generate } from './generated-files.ts'

const check = argv.includes('--check')
const stale = await generate(cwd(), check)
for (const path of stale) stderr.write(`${check ? 'stale' : 'written'}: ${path}\n`)
if (check && stale.length > 0) {
  stderr.write('These generated files are out of date. Run: npm run generate\n')
  exit(1)
}
// This process has read them before they were written: examples are answers of a server with the routes, and a page of help
// has the skill.
const readFirst = ['routes.ts', 'skill.ts'].map((it) => `src/generated/${it}`)
if (!check && stale.some((it) => readFirst.includes(it)))
  exit(spawnSync(execPath, ['scripts/run.mjs', 'src/generate/run.ts'], { stdio: 'inherit' }).status ?? 1)
