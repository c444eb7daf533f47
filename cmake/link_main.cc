// SPDX-License-Identifier: Apache-2.0
// Linked with one whole layer: links only if the layer calls nothing above itself.
int main() { return 0; }
