import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { NODES } from '../../scripts/check-package.mjs'
import { findNodeProblem, testedNodes } from '../../src/node/tested-nodes.ts'
import { dockerfileInstructions } from '../support/container-files.ts'
import { read } from '../support/sources.ts'

const majors = (versions: readonly string[]): number[] => versions.map((it) => Number.parseInt(it, 10))

test('the versions of Node are those of the workflows, of the check of the package, of the manifest and of the image', () => {
  expect(majors(parse(read('.github/workflows/ci.yml')).jobs.test.strategy.matrix.node)).toEqual(testedNodes)
  expect(majors(NODES)).toEqual(testedNodes)
  expect(Number(/\d+/.exec(JSON.parse(read('package.json')).engines.node)?.[0])).toBe(testedNodes[0])
  const [image = ''] = dockerfileInstructions()
    .filter((it) => it.name === 'FROM')
    .map((it) => it.words)
  expect(testedNodes).toContain(Number(/^node:(\d+)/.exec(image)?.[1]))
})

test('a version of Node that is not tested is named, with those that are', () => {
  expect(findNodeProblem('Node 22.13.1')).toBeUndefined()
  expect(findNodeProblem('Node 23.4.0')).toEqual({
    problem: 'Parley is not tested on Node 23.4.0.',
    fix: 'Use Node 26, or another of 20, 22, 24, 26.',
  })
})
