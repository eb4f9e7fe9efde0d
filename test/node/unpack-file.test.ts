import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unpackFile } from '../../src/node/unpack-file.ts'
import { temporaryFolder } from '../support/databases.ts'

const content = Buffer.from('the content of a native module')

describe('unpacks a file', () => {
  test('into a folder that is not there yet, accessible to its owner only', () => {
    const folder = join(temporaryFolder(), 'cache/parley')
    unpackFile(join(folder, 'driver.node'), content)
    expect(readFileSync(join(folder, 'driver.node'))).toEqual(content)
    expect(readdirSync(folder)).toEqual(['driver.node'])
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['incomplete', content.subarray(0, 7)],
    ['damaged', Buffer.alloc(content.length)],
    ['empty', Buffer.alloc(0)],
  ])('again when the one that is there is %s', (_, found) => {
    const file = join(temporaryFolder(), 'driver.node')
    writeFileSync(file, found)
    unpackFile(file, content)
    expect(readFileSync(file)).toEqual(content)
  })

  test('not again when it is whole', () => {
    const file = join(temporaryFolder(), 'driver.node')
    unpackFile(file, content)
    const { ino, mtimeMs } = statSync(file)
    unpackFile(file, content)
    expect(statSync(file)).toMatchObject({ ino, mtimeMs })
  })
})

test('a folder that cannot be is named in the error', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'taken'), '')
  expect(() => unpackFile(join(folder, 'taken/driver.node'), content)).toThrow(/taken is a file/)
  mkdirSync(join(folder, 'driver.node'))
  expect(() => unpackFile(join(folder, 'driver.node'), content)).toThrow()
  expect(readdirSync(folder).sort()).toEqual(['driver.node', 'taken'])
})
