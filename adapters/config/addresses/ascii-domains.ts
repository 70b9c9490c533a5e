import { domainToASCII } from 'node:url'

/**
 * Returns an e-mail in the form in which the service keeps and compares it: without outer white space, and with the A-labels of its
 * domain (UTS 46). A domain that has none stays, and is malformed. So does white space alone: the field is there.
 */
export const asciiEmail = (text: string): string => {
  const email = text.trim() || text
  const at = email.lastIndexOf('@')
  return at < 0 ? email : email.slice(0, at + 1) + asciiDomain(email.slice(at + 1))
}

/** Returns an http or https URL with the A-labels of its domain. */
export const asciiUrl = (text: string): string =>
  text.replace(/^(https?:\/\/)([^/:]+)/, (_, scheme: string, domain: string) => scheme + asciiDomain(domain))

/** Returns a domain with A-labels (UTS 46). A domain in ASCII stays as it is, and so does a text that is no domain. */
export const asciiDomain = (text: string): string => {
  if (text.length > MAX_DOMAIN || !LETTERS.test(text) || IN_ASCII.test(text)) return text
  const domain = domainToASCII(text)
  return domain === '' || IP_ADDRESS.test(domain) ? text : domain
}

const MAX_DOMAIN = 253
const IN_ASCII = /^[\0-\x7f]*$/

/** `domainToASCII` takes a host of a URL: it would decode `%`, and drop what follows a slash. */
const LETTERS = /^[A-Za-z0-9.\u0080-\u{10ffff}-]+$/u

/** It also reads full-width digits as an IPv4 address. */
const IP_ADDRESS = /(?:^|\.)\d+\.?$/
