// Runs the program from source, for `npm run dev -- <arguments>`: no build, and stack traces with source lines.
import process from 'node:process'
import { main } from '../src/main.ts'
import { createSystem } from '../src/system.ts'

process.exitCode = await main(process.argv.slice(2), createSystem())
