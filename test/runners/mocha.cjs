const { startPlatform } = require('parley-cli/platform')
const scenario = require('./scenario.cjs')

it('works in Mocha', () => scenario(startPlatform)).timeout(600_000)
