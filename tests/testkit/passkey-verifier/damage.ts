import { base64url, bytesOf } from '../token-format/web-crypto.ts'

/** Which member of an answer is damaged, in turns. */
const MEMBERS = ['clientDataJSON', 'authenticatorData', 'signature', 'attestationObject']

/** Damages one member of an answer: some bytes differ, or its end is missing. The same number gives the same damage. */
export const damaged = (text: string, number: number): string => {
  const credential = JSON.parse(text)
  const members = MEMBERS.filter((name) => name in credential.response)
  const member = members[number % members.length] ?? ''
  const bytes = bytesOf(credential.response[member])
  const random = sequence(number)
  if (number % 7 === 0) return replaced(credential, member, bytes.subarray(0, random(bytes.length)))
  for (let times = number % 5; times >= 0; times -= 1) {
    const at = random(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 + random(255))
  }
  return replaced(credential, member, bytes)
}

const replaced = (credential: { response: object }, member: string, bytes: Uint8Array): string =>
  JSON.stringify({ ...credential, response: { ...credential.response, [member]: base64url(bytes) } })

/** Numbers below a bound, always the same for one seed (a linear congruential generator). */
const sequence = (seed: number) => {
  let state = seed + 1
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
