import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn, read, root } from '../support/sources.ts'

const pages = ['CONTRIBUTING.md', 'AGENTS.md']
/** What pages have in backticks on one line. */
const quoted = pages.flatMap((page) => [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text))

test('the files and folders that the recipes name exist', () => {
  const paths = quoted.filter((it) => /^(src|test|scripts|docs|spec|changes)\/[\w./<>-]*$/.test(it))
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((it) => !existsSync(join(root, it.replaceAll('<noun>', 'knowledge'))))).toEqual([])
})

test('the functions and properties that the recipes name are in the sources', () => {
  const names = quoted.flatMap((it) => /^(?:\.\.\.)?([a-z]+[A-Z]\w*)(?:\(.*\))?$/.exec(it)?.[1] ?? [])
  const text = filesIn('src', 'test/support').map(read).join('\n')
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((it) => !new RegExp(`\\b${it}\\b`).test(text))).toEqual([])
})
