# int stub(block *rdi): calls the C++ function that the block names, with the arguments it holds.
# Returns 0, or 1 after an exception, which is then caught and named in the block.
# dev.tandem.nn.engine.Stub holds the assembled bytes; StubTest compares them with this file.
  .intel_syntax noprefix
  .text
  .globl stub
stub:
  push rbp
  mov rbp, rsp
  push rbx
  sub rsp, 8
  mov rbx, rdi
  mov rcx, [rbx+144]           # bytes of arguments on the stack, a multiple of 16
  sub rsp, rcx
  mov r10, [rbx+152]           # where they are
1: test rcx, rcx
  jz 2f
  sub rcx, 8
  mov rax, [r10+rcx]
  mov [rsp+rcx], rax
  jmp 1b
2: movsd xmm0, [rbx+80]
  movsd xmm1, [rbx+88]
  movsd xmm2, [rbx+96]
  movsd xmm3, [rbx+104]
  movsd xmm4, [rbx+112]
  movsd xmm5, [rbx+120]
  mov rdi, [rbx+8]
  mov rsi, [rbx+16]
  mov rdx, [rbx+24]
  mov rcx, [rbx+32]
  mov r8, [rbx+40]
  mov r9, [rbx+48]
site:
  call [rbx]                   # the function
after:
  mov [rbx+160], rax
  movsd [rbx+168], xmm0
  xor eax, eax
out:
  mov rbx, [rbp-8]
  mov rsp, rbp
  pop rbp
  ret
landing:                       # the unwinder comes here: rax the exception, rdx which kind
  mov [rbx+192], rdx
  mov rdi, rax
  call [rbx+184]               # __cxa_begin_catch
  mov [rbx+176], rax
  mov eax, 1
  jmp out
