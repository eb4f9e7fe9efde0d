// Runs the program from source, for `npm run dev -- <arguments>`: no build, and stack traces with source lines.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { exitCodes } from '../src/contract/errors/exit-codes.ts'
import { main } from '../src/main.ts'
import { createSystem } from '../src/system.ts'

process.exitCode = await main(process.argv.slice(2), createSystem())

// The platform answers 404 for an endpoint that is not in the generated table yet.
if (process.exitCode === exitCodes.not_found.code) {
  const { routesFile } = await import('../src/generate/route-table.ts')
  const file = fileURLToPath(new URL('../src/generated/routes.ts', import.meta.url))
  if (readFileSync(file, 'utf8') !== routesFile())
    process.stderr.write('src/generated/routes.ts is out of date. Run: npm run generate\n')
}
