export { openStack, Stack, type StackTerms } from './stack.ts';
