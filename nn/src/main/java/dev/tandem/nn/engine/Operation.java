package dev.tandem.nn.engine;

import java.util.Arrays;
import java.util.Optional;

/**
 * The operations of libtorch that layers use, by the C++ symbol of {@code at::_ops::X::call}. These
 * have been the same from libtorch 2.7 to 2.13, on all processors.
 */
enum Operation {
  ADD_SCALAR("10add_Scalar4callERKNS_6TensorERKN3c106ScalarES8_"),
  ADD_TENSOR("10add_Tensor4callERKNS_6TensorES4_RKN3c106ScalarE"),
  ADD_IN_PLACE_SCALAR("11add__Scalar4callERNS_6TensorERKN3c106ScalarES7_"),
  ADD_IN_PLACE_TENSOR("11add__Tensor4callERNS_6TensorERKS2_RKN3c106ScalarE"),
  ADDCDIV_IN_PLACE("8addcdiv_4callERNS_6TensorERKS2_S5_RKN3c106ScalarE"),
  ADDCMUL_IN_PLACE("8addcmul_4callERNS_6TensorERKS2_S5_RKN3c106ScalarE"),
  ADDMM_IN_PLACE("6addmm_4callERNS_6TensorERKS2_S5_RKN3c106ScalarES9_"),
  ALL("3all4callERKNS_6TensorE"),
  ARGMAX("6argmax4callERKNS_6TensorESt8optionalIlEb"),
  AS_STRIDED("10as_strided4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEES8_St8optionalIS7_E"),
  AVG_POOL2D("10avg_pool2d4callERKNS_6TensorEN3c108ArrayRefIlEES7_S7_bbSt8optionalIlE"),
  AVG_POOL2D_BACKWARD(
      "19avg_pool2d_backward4callERKNS_6TensorES4_N3c108ArrayRefIlEES7_S7_bbSt8optionalIlE"),
  AVG_POOL3D("10avg_pool3d4callERKNS_6TensorEN3c108ArrayRefIlEES7_S7_bbSt8optionalIlE"),
  AVG_POOL3D_BACKWARD(
      "19avg_pool3d_backward4callERKNS_6TensorES4_N3c108ArrayRefIlEES7_S7_bbSt8optionalIlE"),
  BATCH_NORM_IMPL_INDEX(
      "22_batch_norm_impl_index4callERKNS_6TensorERKSt8optionalIS2_ES8_S8_S8_bddb"),
  BATCH_NORM_IMPL_INDEX_BACKWARD(
      "31_batch_norm_impl_index_backward4callElRKNS_6TensorES4_RKSt8optionalIS2_ES8_S8_S8_S8_bdSt5arrayIbLm3EES4_"),
  CAT("3cat4callERKN3c108IListRefINS_6TensorEEEl"),
  CLAMP_MIN("9clamp_min4callERKNS_6TensorERKN3c106ScalarE"),
  CLONE("5clone4callERKNS_6TensorESt8optionalIN3c1012MemoryFormatEE"),
  CONSTANT_PAD_ND(
      "15constant_pad_nd4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEERKNS5_6ScalarE"),
  CONTIGUOUS("10contiguous4callERKNS_6TensorEN3c1012MemoryFormatE"),
  CONVOLUTION(
      "11convolution4callERKNS_6TensorES4_RKSt8optionalIS2_EN3c108ArrayRefINS9_6SymIntEEESC_SC_bSC_SB_"),
  CONVOLUTION_BACKWARD(
      "20convolution_backward4callERKNS_6TensorES4_S4_N3c1016OptionalArrayRefINS5_6SymIntEEENS5_8ArrayRefIS7_EESA_SA_bSA_S7_St5arrayIbLm3EE"),
  COPY_IN_PLACE("5copy_4callERNS_6TensorERKS2_b"),
  DIV_SCALAR("10div_Scalar4callERKNS_6TensorERKN3c106ScalarE"),
  DIV_TENSOR("10div_Tensor4callERKNS_6TensorES4_"),
  DIV_IN_PLACE_SCALAR("11div__Scalar4callERNS_6TensorERKN3c106ScalarE"),
  DIV_IN_PLACE_TENSOR("11div__Tensor4callERNS_6TensorERKS2_"),
  EMPTY(
      "19empty_memory_format4callEN3c108ArrayRefINS2_6SymIntEEESt8optionalINS2_10ScalarTypeEES6_INS2_6LayoutEES6_INS2_6DeviceEES6_IbES6_INS2_12MemoryFormatEE"),
  EQ_TENSOR("9eq_Tensor4callERKNS_6TensorES4_"),
  EXPAND("6expand4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEEb"),
  FILL_IN_PLACE_SCALAR("12fill__Scalar4callERNS_6TensorERKN3c106ScalarE"),
  FLATTEN("18flatten_using_ints4callERKNS_6TensorEll"),
  FULL_LIKE(
      "9full_like4callERKNS_6TensorERKN3c106ScalarESt8optionalINS5_10ScalarTypeEES9_INS5_6LayoutEES9_INS5_6DeviceEES9_IbES9_INS5_12MemoryFormatEE"),
  FOREACH_COPY_IN_PLACE("14_foreach_copy_4callEN3c108ArrayRefINS_6TensorEEES5_b"),
  FUSED_ADAM(
      "12_fused_adam_4callEN3c108ArrayRefINS_6TensorEEES5_S5_S5_S5_S5_dddddbbRKSt8optionalIS4_ES9_"),
  FUSED_ADAMW(
      "13_fused_adamw_4callEN3c108ArrayRefINS_6TensorEEES5_S5_S5_S5_S5_dddddbbRKSt8optionalIS4_ES9_"),
  FUSED_SGD("11_fused_sgd_4callEN3c108ArrayRefINS_6TensorEEES5_S5_ddddbbbRKSt8optionalIS4_ES9_"),
  GATHER("6gather4callERKNS_6TensorElS4_b"),
  GELU("4gelu4callERKNS_6TensorESt17basic_string_viewIcSt11char_traitsIcEE"),
  GELU_BACKWARD("13gelu_backward4callERKNS_6TensorES4_St17basic_string_viewIcSt11char_traitsIcEE"),
  LEAKY_RELU("10leaky_relu4callERKNS_6TensorERKN3c106ScalarE"),
  LEAKY_RELU_BACKWARD("19leaky_relu_backward4callERKNS_6TensorES4_RKN3c106ScalarEb"),
  LERP_IN_PLACE_SCALAR("12lerp__Scalar4callERNS_6TensorERKS2_RKN3c106ScalarE"),
  LINEAR("6linear4callERKNS_6TensorES4_RKSt8optionalIS2_E"),
  LOG_SOFTMAX("15log_softmax_int4callERKNS_6TensorElSt8optionalIN3c1010ScalarTypeEE"),
  MATMUL("6matmul4callERKNS_6TensorES4_"),
  MAX_DIM("7max_dim4callERKNS_6TensorElb"),
  MAX_POOL2D_WITH_INDICES(
      "23max_pool2d_with_indices4callERKNS_6TensorEN3c108ArrayRefIlEES7_S7_S7_b"),
  MAX_POOL2D_WITH_INDICES_BACKWARD(
      "32max_pool2d_with_indices_backward4callERKNS_6TensorES4_N3c108ArrayRefIlEES7_S7_S7_bS4_"),
  MAX_POOL3D_WITH_INDICES(
      "23max_pool3d_with_indices4callERKNS_6TensorEN3c108ArrayRefIlEES7_S7_S7_b"),
  MAX_POOL3D_WITH_INDICES_BACKWARD(
      "32max_pool3d_with_indices_backward4callERKNS_6TensorES4_N3c108ArrayRefIlEES7_S7_S7_bS4_"),
  MEAN("8mean_dim4callERKNS_6TensorEN3c1016OptionalArrayRefIlEEbSt8optionalINS5_10ScalarTypeEE"),
  MM("2mm4callERKNS_6TensorES4_"),
  MM_OUT("6mm_out4callERKNS_6TensorES4_RS2_"),
  MUL_SCALAR("10mul_Scalar4callERKNS_6TensorERKN3c106ScalarE"),
  MUL_TENSOR("10mul_Tensor4callERKNS_6TensorES4_"),
  MUL_IN_PLACE_SCALAR("11mul__Scalar4callERNS_6TensorERKN3c106ScalarE"),
  MUL_IN_PLACE_TENSOR("11mul__Tensor4callERNS_6TensorERKS2_"),
  NARROW("6narrow4callERKNS_6TensorElN3c106SymIntES6_"),
  NATIVE_BATCH_NORM("17native_batch_norm4callERKNS_6TensorERKSt8optionalIS2_ES8_S8_S8_bdd"),
  NATIVE_BATCH_NORM_BACKWARD(
      "26native_batch_norm_backward4callERKNS_6TensorES4_RKSt8optionalIS2_ES8_S8_S8_S8_bdSt5arrayIbLm3EE"),
  NATIVE_GROUP_NORM(
      "17native_group_norm4callERKNS_6TensorERKSt8optionalIS2_ES8_N3c106SymIntESA_SA_ld"),
  NATIVE_GROUP_NORM_BACKWARD(
      "26native_group_norm_backward4callERKNS_6TensorES4_S4_S4_RKSt8optionalIS2_EN3c106SymIntESA_SA_lSt5arrayIbLm3EE"),
  NATIVE_LAYER_NORM(
      "17native_layer_norm4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEERKSt8optionalIS2_ESC_d"),
  NATIVE_LAYER_NORM_BACKWARD(
      "26native_layer_norm_backward4callERKNS_6TensorES4_N3c108ArrayRefINS5_6SymIntEEES4_S4_RKSt8optionalIS2_ESC_St5arrayIbLm3EE"),
  NEG("3neg4callERKNS_6TensorE"),
  NORM_SCALAR("11norm_Scalar4callERKNS_6TensorERKN3c106ScalarE"),
  PERMUTE("7permute4callERKNS_6TensorEN3c108ArrayRefIlEE"),
  POW_SCALAR("17pow_Tensor_Scalar4callERKNS_6TensorERKN3c106ScalarE"),
  RELU("4relu4callERKNS_6TensorE"),
  RELU_IN_PLACE("5relu_4callERNS_6TensorE"),
  RESHAPE("7reshape4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEE"),
  RSQRT("5rsqrt4callERKNS_6TensorE"),
  SCATTER_IN_PLACE("12scatter__src4callERNS_6TensorElRKS2_S5_"),
  SCATTER_ADD_IN_PLACE("12scatter_add_4callERNS_6TensorElRKS2_S5_"),
  SELECT("10select_int4callERKNS_6TensorElN3c106SymIntE"),
  SIGMOID("7sigmoid4callERKNS_6TensorE"),
  SIGMOID_BACKWARD("16sigmoid_backward4callERKNS_6TensorES4_"),
  SILU("4silu4callERKNS_6TensorE"),
  SILU_BACKWARD("13silu_backward4callERKNS_6TensorES4_"),
  SLICE_TENSOR("12slice_Tensor4callERKNS_6TensorElSt8optionalIN3c106SymIntEES8_S7_"),
  SOFTMAX("11softmax_int4callERKNS_6TensorElSt8optionalIN3c1010ScalarTypeEE"),
  SQRT("4sqrt4callERKNS_6TensorE"),
  SQRT_IN_PLACE("5sqrt_4callERNS_6TensorE"),
  SUB_TENSOR("10sub_Tensor4callERKNS_6TensorES4_RKN3c106ScalarE"),
  SUB_IN_PLACE_TENSOR("11sub__Tensor4callERNS_6TensorERKS2_RKN3c106ScalarE"),
  SUM("3sum4callERKNS_6TensorESt8optionalIN3c1010ScalarTypeEE"),
  SUM_DIM(
      "15sum_dim_IntList4callERKNS_6TensorEN3c1016OptionalArrayRefIlEEbSt8optionalINS5_10ScalarTypeEE"),
  T("1t4callERKNS_6TensorE"),
  TANH("4tanh4callERKNS_6TensorE"),
  TANH_BACKWARD("13tanh_backward4callERKNS_6TensorES4_"),
  THRESHOLD_BACKWARD("18threshold_backward4callERKNS_6TensorES4_RKN3c106ScalarE"),
  TO_COPY(
      "8_to_copy4callERKNS_6TensorESt8optionalIN3c1010ScalarTypeEES5_INS6_6LayoutEES5_INS6_6DeviceEES5_IbEbS5_INS6_12MemoryFormatEE"),
  TO_DTYPE("8to_dtype4callERKNS_6TensorEN3c1010ScalarTypeEbbSt8optionalINS5_12MemoryFormatEE"),
  TRANSPOSE("13transpose_int4callERKNS_6TensorEll"),
  UNSQUEEZE("9unsqueeze4callERKNS_6TensorEl"),
  VAR_MEAN_DIM("12var_mean_dim4callERKNS_6TensorEN3c1016OptionalArrayRefIlEEbb"),
  ZERO_IN_PLACE("5zero_4callERNS_6TensorE"),
  ZEROS(
      "5zeros4callEN3c108ArrayRefINS2_6SymIntEEESt8optionalINS2_10ScalarTypeEES6_INS2_6LayoutEES6_INS2_6DeviceEES6_IbE"),
  ZEROS_LIKE(
      "10zeros_like4callERKNS_6TensorESt8optionalIN3c1010ScalarTypeEES5_INS6_6LayoutEES5_INS6_6DeviceEES5_IbES5_INS6_12MemoryFormatEE");

  private static final String NAMESPACE = "_ZN2at4_ops"; // at::_ops

  private final String symbol;

  /** Where the function is; 0 if the library does not have it. */
  private final long address;

  /** Runs when the libraries have been loaded. */
  Operation(String symbol) {
    this.symbol = NAMESPACE + symbol;
    address = Native.symbols().find(this.symbol);
  }

  /** The symbol of an operation that the library does not have. */
  static Optional<String> missing() {
    return Arrays.stream(values())
        .filter(operation -> operation.address == 0)
        .map(operation -> operation.symbol)
        .findFirst();
  }

  long address() {
    return address;
  }
}
