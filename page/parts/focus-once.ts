/** For the `ref` of a field that was opened to be typed into. One function for all, so that it is called once and not each time the field is drawn. */
export const focusOnce = (field: HTMLElement | null): void => field?.focus({ preventScroll: true });
