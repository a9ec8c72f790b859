// int stub(block *x0): calls the C++ function that the block names, with the arguments it holds.
// Returns 0, or 1 after an exception, which is then caught and named in the block.
// dev.tandem.nn.engine.Stub holds the assembled bytes; StubTest compares them with this file.
  .text
  .globl stub
stub:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  str x19, [sp, #16]
  mov x19, x0
  ldr x9, [x19, #144]          // bytes of arguments on the stack, a multiple of 16
  cbz x9, 2f
  sub sp, sp, x9
  ldr x10, [x19, #152]         // where they are
1: sub x9, x9, #8
  ldr x11, [x10, x9]
  str x11, [sp, x9]
  cbnz x9, 1b
2: ldp d0, d1, [x19, #80]
  ldp d2, d3, [x19, #96]
  ldp d4, d5, [x19, #112]
  ldp d6, d7, [x19, #128]
  ldr x16, [x19]               // the function
  ldr x8, [x19, #72]           // where an object that it returns goes
  ldp x0, x1, [x19, #8]
  ldp x2, x3, [x19, #24]
  ldp x4, x5, [x19, #40]
  ldp x6, x7, [x19, #56]
site:
  blr x16
after:
  str x0, [x19, #160]
  str d0, [x19, #168]
  mov w0, #0
out:
  mov sp, x29
  ldr x19, [sp, #16]
  ldp x29, x30, [sp], #32
  ret
landing:                       // the unwinder comes here: x0 the exception, x1 which kind
  str x1, [x19, #192]
  ldr x16, [x19, #184]         // __cxa_begin_catch
  blr x16
  str x0, [x19, #176]
  mov w0, #1
  b out
