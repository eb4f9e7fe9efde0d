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
// Examples are answers of a server with the routes of this process: those of a new endpoint need another one.
if (!check && stale.includes('src/generated/routes.ts'))
  exit(spawnSync(execPath, ['scripts/run.mjs', 'src/generate/run.ts'], { stdio: 'inherit' }).status ?? 1)
