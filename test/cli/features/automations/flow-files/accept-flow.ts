import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Operator, operator } from '../../../../support/operator.ts'
import { exportedFiles } from './generated-flows.ts'

/** Names of all pieces in a document, in any of its flows. */
export function piecesIn(document: unknown): Set<string> {
  const found = new Set<string>()
  const open: unknown[] = [document]
  for (let node = open.pop(); open.length > 0 || node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue
    for (const [key, value] of Object.entries(node)) {
      if ((key === 'pieceName' || key === 'blockName') && typeof value === 'string')
        found.add(value.replace(/^@[^/]*\//, ''))
      else if (typeof value === 'object' && value !== null) open.push(value)
    }
  }
  return found
}

export interface Finding {
  readonly level: string
  readonly rule: string
  readonly path: string
  readonly piece: string | null
  readonly message: string
}

/** Runs every command that takes a file of an automation; each accepts it, or says which piece it does not accept. */
export async function acceptedOrNamed(by: Operator, file: string, document: unknown): Promise<readonly Finding[]> {
  const pieces = [...piecesIn(document)]
  const names = (text: string): boolean => pieces.some((it) => text.includes(it))
  const lint = await by.run(['automate', 'lint', '--file', file, '--json'])
  expect([0, 20], lint.stderr).toContain(lint.exitCode)
  const findings: Finding[] = JSON.parse(lint.stdout)
  const errors = findings.filter((it) => it.level === 'error')
  for (const error of errors)
    if (error.rule === 'unknown-piece')
      expect(error.message).toMatch(/\b[Uu]se (?:piece-|@|the actions|a CODE)|Available: /)
  for (const error of errors)
    expect(error, JSON.stringify(error)).toSatisfy(
      ({ piece, path }: Finding) => piece !== null || path.startsWith('settings.sourceCode'),
    )

  const tested = await by.run(['automate', 'test', '--file', file, '--mock-unknown'])
  expect([0, 20], tested.stderr).toContain(tested.exitCode)
  expect(tested.requests).toEqual([])
  // A test that fails on generated outputs names them.
  if (tested.exitCode === 20) expect(tested.stdout).toMatch(/\tfailed\t/)
  if (tested.exitCode === 20 && tested.stdout.includes('GENERATED'))
    expect(names(tested.stderr), tested.stderr).toBe(true)

  const differs = await by.run(['automate', 'diff', 'Opening hours', '--file', file])
  expect(differs.exitCode, differs.stderr).toBe(20)
  expect(differs.stdout).toMatch(/ (?:added|changed|removed)/)

  const made = await by.run(['automate', 'create', '--file', file, '--name', 'Imported'])
  // Without errors it is built, waits for consent, fails its test, or lacks a connection or an assistant.
  expect(errors.length === 0 ? [0, 10, 20, 6, 5] : [6], made.stderr).toContain(made.exitCode)
  for (const { piece } of errors) if (piece !== null) expect(made.stderr).toContain(piece.replace(/^@[^/]*\//, ''))
  return findings
}

/** The same for files of every shape that people export. PARLEY_TEST_SEED chooses others; a failure prints the seed. */
export async function generatedAreAccepted(count: number): Promise<void> {
  const by = operator()
  const seed = Number(process.env.PARLEY_TEST_SEED ?? 20261122)
  console.info(`seed ${seed}`)
  const check = fc.asyncProperty(exportedFiles, async (document) => {
    const file = join(by.cwd, 'export.json')
    writeFileSync(file, JSON.stringify(document))
    await acceptedOrNamed(by, file, document)
  })
  await fc.assert(check, { numRuns: count, seed, endOnFailure: true })
}
