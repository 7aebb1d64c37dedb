/**
 * Words of the window. Flat keys, plurals as `key_one` / `key_other`, values as `{{name}}`; numbers are formatted for
 * the language before they are put in, except `count`, which also chooses the plural.
 */
import i18next, { type TOptions } from 'i18next'
import { useSyncExternalStore } from 'react'
import { en } from './en'
import { fr } from './fr'

export const i18n = i18next.createInstance()

export const LANGUAGES = ['en', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]

type Base<K extends string> = K extends `${infer B}_one` ? B : K extends `${infer B}_other` ? B : K
export type MessageKey = Base<keyof typeof en>
export type Values = Record<string, string | number>
export type Translate = (key: MessageKey, values?: Values) => string

/** French has a plural for millions of its own; here it reads like the ordinary one. */
function withMany(messages: Record<string, string>): Record<string, string> {
  const out = { ...messages }
  for (const [key, text] of Object.entries(messages)) {
    if (key.endsWith('_other')) out[key.replace(/_other$/, '_many')] = text
  }
  return out
}

void i18n.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en }, fr: { translation: withMany(fr) } },
  keySeparator: false,
  nsSeparator: false,
  showSupportNotice: false,
  interpolation: { escapeValue: false },
} as Parameters<typeof i18n.init>[0])

const translators = new Map<string, Translate>()

function translatorFor(language: string): Translate {
  let translate = translators.get(language)
  if (!translate) {
    const number = new Intl.NumberFormat(language)
    translate = (key, values) => {
      const options: TOptions = { lng: language }
      for (const [name, value] of Object.entries(values ?? {})) {
        if (name === 'count') {
          options.count = Number(value)
          options['n'] = number.format(Number(value))
        } else options[name] = typeof value === 'number' ? number.format(value) : value
      }
      return i18n.t(key, options) as string
    }
    translators.set(language, translate)
  }
  return translate
}

/** The words of the current language, for places outside React. */
export const translate: Translate = (key, values) => translatorFor(i18n.language)(key, values)

function subscribe(listener: () => void): () => void {
  i18n.on('languageChanged', listener)
  return () => i18n.off('languageChanged', listener)
}

/** The words of the current language; the component renders again when it changes. */
export function useT(): Translate {
  const language = useSyncExternalStore(subscribe, () => i18n.language)
  return translatorFor(language)
}

/** Changes the language of the window. */
export function setLanguage(language: string): void {
  const known = LANGUAGES.find((one) => one === language) ?? 'en'
  document.documentElement.lang = known
  if (i18n.language !== known) void i18n.changeLanguage(known)
}
