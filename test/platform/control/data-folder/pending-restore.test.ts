import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { writeCredentials } from '../../../../src/platform/control/data-folder/credentials.ts'
import {
  awaitRestore,
  beginRestore,
  cancelRestore,
  pendingRestoreFile,
} from '../../../../src/platform/control/data-folder/pending-restore.ts'
import { temporaryFolder } from '../../../support/databases.ts'

const own = 11
const other = 12

/** A data folder with a restore by a process, and what a server of the folder knows. */
function folder(pid = other) {
  const dataDir = temporaryFolder()
  const before = writeCredentials(dataDir, { secret: 'before', key: null, control: 'control' })
  const credentials = { current: before }
  beginRestore(dataDir, 'restore', { secret: 'after', key: null, seal: null, pid })
  const finish = (): void => {
    writeCredentials(dataDir, { ...before, secret: 'after' })
    cancelRestore(dataDir)
  }
  return { dataDir, credentials, finish }
}

test('a server that starts waits until another process has finished its restore, then uses the restored credentials', async () => {
  const { dataDir, credentials, finish } = folder()
  let checks = 0
  await awaitRestore({ dataDir, credentials }, own, (pid) => {
    expect(pid).toBe(other)
    checks += 1
    if (checks === 3) finish()
    return true
  })
  expect(credentials.current.secret).toBe('after')
  expect(existsSync(pendingRestoreFile(dataDir))).toBe(false)
  expect(checks).toBe(3)
})

test.each([
  ['of a process that was killed', other, 1],
  ['of its own', own, 0],
])('a server that starts does not wait for a restore %s', async (_, pid, expected) => {
  const { dataDir, credentials } = folder(pid)
  let checks = 0
  const started = awaitRestore({ dataDir, credentials }, own, () => {
    checks += 1
    return false
  }).then(() => 'started')
  const later = new Promise((resolve) => setImmediate(resolve, 'waits'))
  expect(await Promise.race([started, later])).toBe('started')
  expect(checks).toBe(expected)
  expect(credentials.current.secret).toBe('before')
  expect(existsSync(pendingRestoreFile(dataDir))).toBe(true)
})
