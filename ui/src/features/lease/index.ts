export { LeaseChip, useLeaseState } from './LeaseChip'
export { LeaseSection } from './LeaseSection'
export { Life } from './Life'
