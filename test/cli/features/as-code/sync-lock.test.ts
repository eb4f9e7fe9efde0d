import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SyncLock, type SyncRecord } from '../../../../src/cli/features/as-code/sync-lock.ts'

const platform = 'https://platform.example#12345678'
const record = (id: number): SyncRecord => ({ id, here: `h${id}`, there: `t${id}`, base: { name: `Tool ${id}` } })
const nameOf = (id: number): string => `tools/tool-${id}.yaml`

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Records as many files one by one. Returns how often the whole lock file was written. */
function countRewrites(count: number): number {
  const folder = temporaryFolder()
  const file = join(folder, 'parley.lock.json')
  const lock = new SyncLock(folder, platform)
  let [rewrites, version] = [0, 0]
  for (let id = 1; id <= count; id++) {
    lock.set(nameOf(id), record(id))
    // A rewritten file is another one.
    const { ino } = statSync(file)
    if (ino !== version) rewrites += 1
    version = ino
  }
  lock.save()
  return rewrites + 1
}

test('recording many files writes the whole lock file a few times only', () => {
  expect(countRewrites(100)).toBeLessThanOrEqual(8)
  expect(countRewrites(1000)).toBeLessThanOrEqual(12)
})

test('a run that is killed has recorded everything, and the next one writes the lock file', () => {
  const folder = temporaryFolder()
  const killed = new SyncLock(folder, platform)
  for (let id = 1; id <= 20; id++) killed.set(nameOf(id), record(id))
  killed.set(nameOf(3), undefined)
  killed.move(nameOf(4), 'tools/renamed.yaml')
  // A line that the kill cut off.
  const journal = join(folder, 'parley.lock.json.journal')
  writeFileSync(journal, `${readFileSync(journal, 'utf8')}\n{"platform":"https://pl`)

  const next = new SyncLock(folder, platform)
  expect(next.of(nameOf(20))).toEqual(record(20))
  expect(next.of(nameOf(3))).toBeUndefined()
  expect(next.of(nameOf(4))).toBeUndefined()
  expect(next.of('tools/renamed.yaml')).toEqual(record(4))
  expect(next.files).toHaveLength(19)
  next.save()
  expect(existsSync(journal)).toBe(false)
  expect(new SyncLock(folder, platform).files).toEqual([...next.files].sort())
})

test('without changes the lock file is not written', () => {
  const folder = temporaryFolder()
  new SyncLock(folder, platform).save()
  expect(existsSync(join(folder, 'parley.lock.json'))).toBe(false)
})
