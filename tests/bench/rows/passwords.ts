import { ceiling, forEachTree, type Row, service } from '../bench-run.ts'
import { compareCosts, costOf } from '../compare.ts'
import { type Next, repeated, requestBytes } from '../load.ts'
import type { Service } from '../portcullis.ts'
import { passwordChange, signInText } from '../requests.ts'
import type { Aim } from '../statistics.ts'

/** The requests that hash passwords, each beside the same number of bare hashes of the same cost. */
const AIM: Aim = { better: 'higher', target: 0.97, floor: 0.93 }

const besideScrypt = ({
  name,
  what,
  title,
  hashes,
  requests,
  request,
}: Readonly<{
  name: string
  what: string
  title: string
  hashes: number
  requests: number
  request: (service: Service) => Next
}>): Row => ({
  name,
  what,
  measure: async (bench) => {
    const size = { requests, connections: 1 }
    const bare = await ceiling(bench, 'scrypt')
    const sides = await forEachTree(bench, async (tree) => {
      const one = await service(bench, { tree })
      return costOf(one, request(one), size)
    })
    const measured = await compareCosts(bench, {
      title,
      aim: AIM,
      ceilingName: `${hashes} scrypt`,
      ceiling: costOf(bare, repeated(requestBytes('GET', `/${hashes}`)), size),
      ...sides,
    })
    return [measured]
  },
})

export const PASSWORD_ROWS: ReadonlyArray<Row> = [
  besideScrypt({
    name: 'sign-in',
    what: 'sign-in, beside one bare scrypt',
    title: 'one raw scrypt / sign-in',
    hashes: 1,
    requests: 4,
    request: (one) => repeated(signInText(one)),
  }),
  besideScrypt({
    name: 'change-password',
    what: 'change of a password, beside two bare scrypts',
    title: 'two raw scrypts / change password',
    hashes: 2,
    requests: 2,
    request: passwordChange,
  }),
]
